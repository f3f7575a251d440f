import { expect } from 'chai'
import { reachOf } from '../../../lib/config/reach.ts'
import { formatProblem } from '../../../lib/errors.ts'
import type { ReadSettings } from '../../../lib/ingress/settings.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { ingressConfig } from '../../support/builders/ingress-config.ts'
import { settings } from '../ingress/parts.ts'
import { prod } from './resolve-prod.ts'

/** What is said of one route. `names` are those of the operator's certificate, once its files were read. */
async function toldOf(
  route: string,
  { ingress = {}, names }: { ingress?: object; names?: readonly string[] | 'unreadable' } = {},
): Promise<readonly string[]> {
  const yaml = `name: shop\nservices:\n  - name: web\n    containers: [{name: web, image: "web:1"}]\n    ingress:\n      - ${route}\n`
  const { blocked, warnings } = await prod(
    { services: [{ name: 'shop' }] },
    { 'applications/shop.yaml': yaml },
    {
      ingress: {
        ...reachOf(ingressConfig(ingress), { environments: [], sites: [] }),
        ...(names === undefined ? {} : { make: { read: readOf(names), loaded: [], rivals: [] } }),
      },
    },
  )
  return [
    ...blocked.flatMap(({ problems }) => problems.map(problem => `blocked: ${formatProblem(problem)}`)),
    ...warnings.map(warning => `warning: ${formatProblem(warning)}`),
  ]
}

function readOf(names: readonly string[] | 'unreadable'): ReadSettings {
  if (names === 'unreadable')
    return { state: 'unusable', problem: { code: 'config-invalid', message: 'no file', hint: 'none' } }
  const certificates = names.length === 0 ? [] : [{ chain: 'chain', key: new Secret('key', 'mark'), names }]
  return { state: 'usable', settings: settings({ certificates }) }
}

const place = 'applications/shop.yaml:6:16: /services/0/ingress/0/host "*.example.com"'
const refused = [
  `blocked: ${place} has a star: no public authority signs a certificate for all these hosts for the ingress, and none of the operator names them (certificate-unobtainable)`,
]
const doubted = [
  `warning: ${place} has a star: whether the authority of "acme" signs a certificate for all these hosts is known only when it is asked (certificate-unobtainable)`,
]
const inPart = [
  `warning: ${place} has a star: certificates of the operator name some of these hosts only, and the TLS handshake of all others fails (certificate-unobtainable)`,
]
const certificates = [{ cert: '/srv/own.pem', key: '/srv/own.key' }]
const acme = { directory: 'https://ca.example.com/directory' }
const star = '{host: "*.example.com", port: 80, tls: auto}'

describe('a route with HTTPS whose host has a star', () => {
  const cases: readonly (readonly [string, Parameters<typeof toldOf>, readonly string[]])[] = [
    ['is refused without a certificate of the operator', [star], refused],
    ['is refused in every spelling', [star.replace('*.e', '*.E')], [refused[0]?.replace('*.e', '*.E') ?? '']],
    [
      'is refused with a redirect, too',
      ['{host: "*.example.com", tls: auto, redirect: "https://example.com"}'],
      refused,
    ],
    ['is refused where the operator runs the ingress', [star, { ingress: { external: true } }], refused],
    ['is refused if the files were read and name nothing', [star, { names: [] }], refused],
    [
      'is refused if the certificate names other hosts',
      [
        star,
        {
          ingress: { certificates },
          names: ['*.example.org', 'example.com', 'www.a.example.com', '*.a.example.com'],
        },
      ],
      refused,
    ],
    [
      'is doubted if the certificate names hosts that the star stands for',
      [star, { ingress: { certificates }, names: ['a.example.com', 'b.example.com'] }],
      inPart,
    ],
    [
      'is taken if the certificate names it',
      [star, { ingress: { certificates }, names: ['*.example.com'] }],
      [],
    ],
    ['is taken if a certificate is there that is not read', [star, { ingress: { certificates } }], []],
    ['is doubted at a private authority, which may have other rules', [star, { ingress: { acme } }], doubted],
    [
      'is doubted at a private authority if the certificate names other hosts',
      [star, { ingress: { acme, certificates }, names: ['example.com'] }],
      doubted,
    ],
    [
      'is doubted at a private authority if the certificate names hosts that the star stands for',
      [star, { ingress: { acme, certificates }, names: ['a.example.com'] }],
      doubted,
    ],
    [
      'is taken at a private authority if the certificate names it',
      [star, { ingress: { acme, certificates }, names: ['*.example.com'] }],
      [],
    ],
    ['is taken with "tls: internal"', [star.replace('auto', 'internal')], []],
    ['is taken without HTTPS', ['{host: "*.example.com", port: 80}'], []],
  ]
  for (const [title, given, told] of cases)
    it(`D15 P33 ${title}`, async () => {
      expect(await toldOf(...given)).to.deep.equal(told)
    })

  it('D15 P33 is not refused while the file of a certificate cannot be read that may name it', async () => {
    const told = await toldOf(star, { ingress: { certificates }, names: 'unreadable' })
    expect(told.filter(text => text.includes('certificate-unobtainable'))).to.deep.equal([])
  })

  it('P33 is no reason to refuse one without a star', async () => {
    expect(await toldOf('{host: shop.example.com, port: 80, tls: auto}')).to.deep.equal([])
  })
})
