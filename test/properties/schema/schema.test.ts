import { expect } from 'chai'
import fc from 'fast-check'
import { valid } from 'semver'
import { parseJson } from '../../../lib/document/json.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { checkSchema } from '../../../lib/schema.ts'
import { readReference } from '../../../lib/state/image/reference.ts'
import applicationSchema from '../../../schemas/application.schema.json' with { type: 'json' }
import configSchema from '../../../schemas/config.schema.json' with { type: 'json' }
import manifestSchema from '../../../schemas/manifest.schema.json' with { type: 'json' }

describe('the schema of applications', () => {
  it("G24 bounds every list, and every map whose keys are the user's own", () => {
    expect(unbounded(applicationSchema, '')).to.deep.equal([])
  })

  it('G24 refuses a longer map with the bound', () => {
    const env = Object.fromEntries(Array.from({ length: 1_025 }, (_, index) => [`A${index}`, 'x']))
    const containers = [{ name: 'web', image: 'web:1', env }]
    const text = JSON.stringify({ name: 'shop', services: [{ name: 'web', containers }] })
    expect(checkSchema('application', parseJson('a.json', text)).map(({ message }) => message)).to.deep.equal(
      ['/services/0/containers/0/env must have at most 1024 entries'],
    )
  })
})

describe('every schema', () => {
  for (const [name, schema] of Object.entries({ applicationSchema, configSchema, manifestSchema }))
    it(`G24 says in words what each pattern of the ${name} demands, because no error shows a regular expression`, () => {
      expect(wordless(schema, '')).to.deep.equal([])
    })
})

describe('a text that no program can be given', () => {
  const kinds = ['manifest', 'application', 'deployment', 'pod', 'variables', 'config', 'site'] as const
  /** What is said of texts in keys of one's own, which every kind of file may hold. */
  const said = (name: (typeof kinds)[number], text: string) =>
    checkSchema(name, parseJson('f.json', text))
      .map(formatProblem)
      .filter(line => line.includes('/x-note') && line.includes('holds'))

  for (const name of kinds)
    it(`G24 is refused in a file of the kind ${name}, with its place`, () => {
      const code = name === 'site' ? 'config' : name
      expect(
        said(name, '{"x-note": {"a": ["fine", "a\\u0000b"],\n"half": "\\ud83d", "": "\\ud83d\\ude00"}}'),
      ).to.deep.equal([
        `f.json:1:27: /x-note/a/1 holds a NUL character (${code}-invalid)`,
        `f.json:2:9: /x-note/half holds half of a surrogate pair, which is no character (${code}-invalid)`,
      ])
      expect(said(name, '{"x-note": {"a\\u0000": 1, "\\ud83d": 2}}')).to.deep.equal([
        `f.json:1:12: /x-note has a key that holds a NUL character (${code}-invalid)`,
        `f.json:1:12: /x-note has a key that holds half of a surrogate pair, which is no character (${code}-invalid)`,
      ])
    })

  it('G24 is refused in a key of the file itself, which has no place that can be shown', () => {
    const faults = checkSchema('site', parseJson('f.json', '{"\\ud83d": 1}'))
    expect(faults.map(formatProblem)).to.include(
      'f.json:1:1: has a key that holds half of a surrogate pair, which is no character (config-invalid)',
    )
  })

  it('G24 may have any other character, line breaks and control characters among them', () => {
    expect(said('site', '{"x-note": "a\\n\\t\\u0001\\u007f\\u202e"}')).to.deep.equal([])
  })
})

/** The places of a schema whose pattern is not said in words. */
function wordless(schema: unknown, place: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const of: Readonly<Record<string, unknown>> = { ...schema }
  const inside = Object.entries(of).flatMap(([key, inner]) => wordless(inner, `${place}/${key}`))
  return typeof of['pattern'] === 'string' && typeof of['form'] !== 'string' ? [place, ...inside] : inside
}

/** The places of a schema where as much may stand as somebody likes. */
function unbounded(schema: unknown, place: string): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const of: Readonly<Record<string, unknown>> = { ...schema }
  const types = [of['type']].flat()
  const isMap = types.includes('object') && typeof of['additionalProperties'] === 'object'
  const isOpen =
    (types.includes('array') && of['maxItems'] === undefined) || (isMap && of['maxProperties'] === undefined)
  const inside = Object.entries(of).flatMap(([key, inner]) => unbounded(inner, `${place}/${key}`))
  return isOpen ? [place, ...inside] : inside
}

describe('the schema of manifests', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['E5 accepts an empty manifest', '{}', []],
    ['E3 accepts empty lists', '{"services": [], "includes": []}', []],
    ['E3 accepts a service without version and containers', '{"services": [{"name": "web"}]}', []],
    [
      'E3 accepts an empty dockerName',
      '{"services": [{"name": "web", "containers": [{"dockerName": "", "dockerTag": "1"}]}]}',
      [],
    ],
    [
      'E3 accepts a dockerName with a registry, its port and a path',
      '{"services": [{"name": "web", "containers": [{"dockerName": "registry.example.com:5000/team/web", "dockerTag": "1"}]}]}',
      [],
    ],
    ['E2 refuses a list as root', '[]', ['m.json:1:1: the whole file must be an object, not a list']],
    ['E2 refuses null as root', 'null', ['m.json:1:1: the whole file must be an object, not null']],
    [
      'E3 requires the name of a service',
      '{"services": [\n  {"version": "1.0.0"}]}',
      ['m.json:2:3: /services/0/name is required'],
    ],
    [
      'E3 requires a dockerTag',
      '{"services": [{"name": "web", "containers": [{}]}]}',
      ['m.json:1:46: /services/0/containers/0/dockerTag is required'],
    ],
    [
      'E3 refuses values of another type',
      '{"services": {}, "includes": "a.json", "skipConfirmation": "yes"}',
      [
        'm.json:1:14: /services must be a list, not an object',
        'm.json:1:30: /includes must be a list, not "a.json"',
        'm.json:1:60: /skipConfirmation must be true or false, not "yes"',
      ],
    ],
    [
      'E3 refuses a number as dockerTag',
      '{"services": [{"name": "web", "containers": [{"dockerTag": 1.10}]}]}',
      ['m.json:1:60: /services/0/containers/0/dockerTag must be a text, not 1.10; put it in quotes: "1.10"'],
    ],
    [
      'accepts the schema that an editor looks for',
      '{"$schema": "https://example.com/manifest.schema.json", "services": []}',
      [],
    ],
    [
      'D2 names an unknown key, its line and pointer, and the nearest known key',
      '{\n  "services": [\n    {\n      "name": "web",\n      "container": []\n    }\n  ]\n}',
      ['m.json:5:7: /services/0/container is not a known key; did you mean "containers"?'],
    ],
    [
      'D2 names an unknown key that resembles none',
      '{"replicas": 3}',
      ['m.json:1:2: /replicas is not a known key'],
    ],
    [
      'D2 makes one problem of a required key that is misspelled',
      '{"services": [{"nmae": "web"}]}',
      ['m.json:1:16: /services/0/nmae is not a known key; did you mean "name"?'],
    ],
    [
      'D2 leaves keys that begin with x- free at every level',
      '{"x-owner": {"a": 1}, "services": [{"name": "web", "x-why": [], "containers": [{"dockerTag": "1", "x-": 1}]}]}',
      [],
    ],
    [
      'G24 takes __proto__ for an unknown key',
      '{"__proto__": {"services": []}}',
      ['m.json:1:2: /__proto__ is not a known key'],
    ],
    [
      'reports every mistake, in the order of the file',
      '{"services": [{"name": "a b"}, 1], "b": 1}',
      [
        'm.json:1:24: /services/0/name must be a name of letters, digits, "_", "." and "-" that begins with a letter or digit, not "a b"',
        'm.json:1:32: /services/1 must be an object, not 1',
        'm.json:1:36: /b is not a known key',
      ],
    ],
  ]
  for (const [title, text, problems] of cases)
    it(title, () => {
      expect(checkSchema('manifest', parseJson('m.json', text)).map(formatProblem)).to.deep.equal(
        problems.map(problem => `${problem} (manifest-invalid)`),
      )
    })

  const values: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
    [
      'E3',
      'name',
      ['web', 'ebury-api_events.2', '0'],
      ['', '-web', '.web', 'a/b', 'a b', 'ü', 'web\n', 'a'.repeat(64)],
    ],
    [
      'D6',
      'version',
      ['0.1.0', '1.0.0-rc.1+build.5', '1.2.3-x-y-z'],
      ['1.0', 'v1.0.0', '01.0.0', '1.0.0 ', '=1.0.0', 'latest', '', '1.0.0-', '9007199254740993.0.0'],
    ],
    [
      'E3',
      'dockerTag',
      ['e96ae0a', '1.0', '_x', 'A'.repeat(128)],
      ['', '.1', '-1', 'a:b', 'a/b', 'a@b', 'a b', 'A'.repeat(129)],
    ],
    [
      'E3',
      'dockerName',
      ['', 'web', 'team/web', 'localhost:5000/web', '127.0.0.1:5000/a/b', 'a__b', 'a--b', '[::1]:5000/web'],
      ['Web', 'web:1', 'web@sha256:0', '/web', 'web/', 'a//b', 'a...b', 'https://x/web', 'a b'],
    ],
    [
      'E26',
      'dockerDigest',
      [`sha256:${'0a'.repeat(32)}`],
      [
        '',
        '0a'.repeat(32),
        `sha256:${'0A'.repeat(32)}`,
        `sha512:${'0a'.repeat(64)}`,
        `sha256:${'0a'.repeat(31)}`,
      ],
    ],
  ]
  for (const [id, key, good, bad] of values) {
    for (const value of good)
      it(`${id} accepts ${key} ${shown(value)}`, () => {
        expect(refusedKeys(key, value)).to.deep.equal([])
      })
    for (const value of bad)
      it(`${id} refuses ${key} ${shown(value)}`, () => {
        expect(refusedKeys(key, value)).to.deep.equal([key])
      })
  }

  const { service, container } = manifestSchema.definitions

  it('E3 accepts no dockerName that is not the name of an image', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(container.properties.dockerName.pattern)), name => {
        fc.pre(name !== '' && refusedKeys('dockerName', name).length === 0)
        expect(readReference(`${name}:1`)).to.include({ ok: true })
      }),
    )
  })

  it('D6 accepts no version that semver does not', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(service.properties.version.pattern)), version => {
        fc.pre(version.length <= 256)
        expect(valid(version)).to.be.a('string')
      }),
    )
  })
})

/** The keys of the problems that one value makes in a manifest that is good otherwise. */
function refusedKeys(key: string, value: string): readonly string[] {
  const container = { dockerTag: '1', ...(key.startsWith('docker') ? { [key]: value } : {}) }
  const service = {
    name: 'web',
    containers: [container],
    ...(key.startsWith('docker') ? {} : { [key]: value }),
  }
  const problems = checkSchema('manifest', parseJson('m.json', JSON.stringify({ services: [service] })))
  return problems.map(({ message }) => message.slice(0, message.indexOf(' ')).split('/').at(-1) ?? '')
}

function shown(value: string): string {
  return value.length > 40
    ? `${JSON.stringify(value.slice(0, 40))}… (${value.length})`
    : JSON.stringify(value)
}
