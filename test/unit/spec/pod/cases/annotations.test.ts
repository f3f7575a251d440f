import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused, shown } from './outcome.ts'

const annotated = (name: string, value: unknown) => pod({ annotations: [{ name, value }] })
const seen = ({ instance }: Built) => instance?.pod?.manifest.annotations[0]?.value
const place = '/annotations/0/value'

describe('C2 C7 cases of annotations with a form', () => {
  for (const created of [
    '2014-10-27T19:32:27.67021798Z',
    '2004-05-14T23:11:14Z',
    '2004-05-14T23:11:14.1+00:00',
    '2004-05-14T23:11:14.123456789-07:00',
    '2004-02-29T00:00:00+14:00',
    '2000-02-29T23:59:59Z',
    '1999-12-31T00:00:00-23:59',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])
    it(`created may be ${created}`, () => {
      expectOutcome(annotated('created', created), seen, created)
    })

  for (const created of [
    ...['', 'now', '2004', '2004-05-14', '2004-05-14T23:11Z', '2004-05-14T23:11:14', '23:11:14Z'],
    ...['2004-05-14 23:11:14Z', '2004-05-14t23:11:14Z', '2004-05-14T23:11:14z', ' 2004-05-14T23:11:14Z'],
    ...['2004-05-14T24:00:00Z', '2004-05-14T23:60:00Z', '2004-05-14T23:59:60Z', '2004-05-14T7:11:14Z'],
    ...['2003-02-29T00:00:00Z', '2100-02-29T00:00:00Z', '2004-04-31T00:00:00Z', '2004-13-01T00:00:00Z'],
    ...['2004-00-10T00:00:00Z', '2004-05-00T00:00:00Z', '04-05-14T23:11:14Z', '12004-05-14T23:11:14Z'],
    ...['2004-05-14T23:11:14+0000', '2004-05-14T23:11:14+24:00', '2004-05-14T23:11:14+01:60'],
    ...['2004-05-14T23:11:14.Z', '2004-05-14T23:11:14,5Z', '1084576274', 'Mon, 15 Aug 2005 15:52:01 +0000'],
  ])
    it(`created may not be ${shown(created)}`, () => {
      expectOutcome(
        annotated('created', created),
        seen,
        refused(`${place} "${created}" is no date; write for example 2026-05-14T23:11:14Z`),
      )
    })

  for (const address of [
    'http://example.com/docs?a=1#top',
    'HTTPS://EXAMPLE.COM',
    'https://user@example.com:8443/~team',
    'http://[2001:db8::1]/',
    'http://localhost',
    'https://bücher.example/ü',
  ]) {
    it(`homepage and documentation may be ${address}`, () => {
      expectOutcome(annotated('homepage', address), seen, address)
      expectOutcome(annotated('documentation', address), seen, address)
    })
  }

  for (const address of [
    ...[
      '',
      'example.com',
      '//example.com',
      '/docs',
      'ftp://example.com',
      'mailto:a@example.com',
      'file:///x',
    ],
    ...['httpx://example.com', 'http:example.com', 'http:/example.com', 'http://', 'https:// example.com'],
    ...[' http://example.com', 'http://example.com ', 'http://exa\tmple.com', 'http://example.com\n'],
    ...['http://a:b:c', 'http://a:99999', 'http://[::1', 'javascript:alert(1)', 'http://a b/c', 'https//a'],
  ])
    it(`homepage may not be ${shown(address)}`, () => {
      expectOutcome(
        annotated('homepage', address),
        seen,
        refused(`${place} "${address}" is no URL that begins with http:// or https://`),
      )
    })

  it('documentation of an app has the same form as that of a pod', () => {
    const annotations = [
      { name: 'documentation', value: 'docs' },
      { name: 'created', value: 'today' },
    ]
    expectOutcome(
      pod({ apps: [app({ annotations })] }),
      seen,
      refused(
        '/apps/0/annotations/0/value "docs" is no URL that begins with http:// or https://',
        '/apps/0/annotations/1/value "today" is no date; write for example 2026-05-14T23:11:14Z',
      ),
    )
  })
})

describe('C2 C7 cases of annotations of any text', () => {
  for (const [name, value] of [
    ['authors', 'Carly Container <carly@example.com>, Nat Network'],
    ['ip-address', '10.1.2.3'],
    ['created-by', 'now'],
    ['example.com/homepage', 'not a URL'],
    ['appc.io/executor/supports-systemd-notify', 'maybe'],
    ['empty', ''],
    ['lines', 'a\nb\r\n\tc'],
    ['signs', '${HOME} `id` $(id) %s \\n "\''],
    ['letters', 'ä 漢字 🐳'],
  ] as const)
    it(`${name} may be ${shown(value)}`, () => {
      expectOutcome(annotated(name, value), seen, value)
    })

  for (const [value, kind] of [
    [1, '1; put it in quotes: "1"'],
    [true, 'true; put it in quotes: "true"'],
    [null, 'null'],
    [['a'], 'a list'],
    [{ a: '1' }, 'an object'],
  ] as const)
    it(`none may be ${shown(value)}`, () => {
      expectOutcome(annotated('a', value), seen, refused(`${place} must be a text, not ${kind}`))
    })

  it('none stands in a list twice, and each list is by itself', () => {
    const twice = ['a', 'b', 'a'].map(name => ({ name, value: 'x' }))
    expectOutcome(
      pod({ annotations: [{ name: 'a', value: 'x' }], apps: [app({ annotations: twice })] }),
      seen,
      refused('/apps/0/annotations/2/name is "a" a second time'),
    )
  })

  it('one needs a name and a text, and has nothing else', () => {
    expectOutcome(
      pod({ annotations: [{ name: 'a' }, { value: 'b' }, { name: 'c', value: 'd', valu: 'e' }] }),
      seen,
      refused(
        '/annotations/0/value is required',
        '/annotations/1/name is required',
        '/annotations/2/valu is not a known key; did you mean "value"?',
      ),
    )
  })
})

describe('C7 cases of texts for people', () => {
  const texts = ({ instance }: Built) => {
    const { userAnnotations, userLabels } = instance?.pod?.manifest ?? {}
    return [userAnnotations, userLabels]
  }
  for (const map of [
    { 'Any Key!': 'any text' },
    { '': '' },
    { 'a/b': '1', 'A/B': '2' },
    { constructor: 'x' },
  ])
    it(`${shown(map)} are kept as they are`, () => {
      expectOutcome(pod({ userAnnotations: map, userLabels: map }), texts, [map, map])
    })

  for (const [map, problem] of [
    [{ team: 1 }, '/team must be a text, not 1; put it in quotes: "1"'],
    [{ team: null }, '/team must be a text, not null'],
    [{ team: ['a'] }, '/team must be a text, not a list'],
    [[{ name: 'team', value: 'a' }], ' must be an object, not a list'],
    ['team', ' must be an object, not "team"'],
  ] as const)
    it(`${shown(map)} is refused`, () => {
      expectOutcome(
        pod({ userLabels: map, apps: [app({}, { userAnnotations: map })] }),
        texts,
        refused(`/apps/0/app/userAnnotations${problem}`, `/userLabels${problem}`),
      )
    })
})
