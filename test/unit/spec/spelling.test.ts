import { expect } from 'chai'
import { parseJson } from '../../../lib/document/json.ts'
import { parseYaml } from '../../../lib/document/yaml.ts'
import { formatProblem } from '../../../lib/errors.ts'
import { checkSchema } from '../../../lib/schema.ts'
import applicationSchema from '../../../schemas/application.schema.json' with { type: 'json' }
import { built, container, service } from './built.ts'

describe('texts that are written as numbers or truth values', () => {
  const spellings = [
    '0022',
    '1.0',
    '1.10',
    '1e3',
    '1E+3',
    '0x1F',
    '0o17',
    '007',
    '+5',
    '-0',
    '.5',
    '9007199254740993',
    '12345678901234567890123',
    'true',
    'False',
    'yes',
    'on',
    'No',
    '2024-01-01',
    '1_000',
    '12:30',
  ]
  for (const spelling of spellings)
    it(`G2 gives a container ${spelling} as it is written in YAML`, () => {
      expect(container(`env: {A: ${spelling}}`)).to.deep.equal({ env: { A: spelling } })
    })

  for (const spelling of ['1.0', '1e3', '-0', '1E+2', '9007199254740993', 'true'])
    it(`G2 reads ${spelling} as it is written in JSON`, () => {
      const document = parseJson('a.json', `{"a": [{"b/c": ${spelling}}]}`)
      expect(document.spelling('/a/0/b~1c')).to.equal(spelling)
    })

  it('knows no other spelling than its own of a text, of nothing, and of what is not there', () => {
    const document = parseYaml('a.yaml', 'text: "1.0"\nnothing: ~\nnumber: 1.0\nlist: [1.0]')
    const pointers = ['/text', '/nothing', '/number/deeper', '/list', '/list/1', '/none', '']
    expect(pointers.map(document.spelling)).to.deep.equal(pointers.map(() => undefined))
  })

  it('keeps the spelling of what an alias repeats', () => {
    expect(container('env: {A: &a 0022, B: *a}')).to.deep.equal({ env: { A: '0022', B: '0022' } })
  })

  /** Where the schema lets a number or a truth value stand in place of a text: text, or what is counted. */
  const places: Readonly<Record<string, 'text' | 'quantity'>> = {
    '/version': 'text',
    '/requires/*': 'text',
    '/definitions/size': 'quantity',
    '/definitions/share': 'quantity',
    '/definitions/volume/persistent-volume/driver_opts/*': 'text',
    '/definitions/volume/tmpfs/mode': 'text',
    '/definitions/volume/tmpfs/uid': 'text',
    '/definitions/volume/tmpfs/gid': 'text',
    '/definitions/mount/mode': 'text',
    '/definitions/mount/uid': 'text',
    '/definitions/mount/gid': 'text',
    '/definitions/mounted-file/mode': 'text',
    '/definitions/mounted-file/uid': 'text',
    '/definitions/mounted-file/gid': 'text',
    '/definitions/port': 'text',
    '/definitions/port/published': 'text',
    '/definitions/container/user': 'text',
    '/definitions/container/group_add/*': 'text',
    '/definitions/container/labels/*': 'text',
    '/definitions/container/stop_signal': 'quantity',
    '/definitions/container/cpus': 'quantity',
    '/definitions/container/memswap_limit': 'quantity',
    '/definitions/container/cpuset': 'text',
    '/definitions/container/logging/options/*': 'text',
    '/definitions/container/sysctls/*': 'text',
    '/definitions/variable/value': 'text',
    '/definitions/value': 'text',
    '/definitions/ingress/port-ranges': 'text',
    '/definitions/route/redirect': 'quantity',
  }

  it('G13 advises no quotes around what is no finite number: they would not make it one', () => {
    const document = parseYaml(
      'a.yaml',
      'name: a\nservices: [{name: a, containers: [{name: a, image: a, mem_limit: 1e9999, cpus: .nan}]}]',
    )
    expect(checkSchema('application', document).map(({ message }) => message)).to.deep.equal([
      '/services/0/containers/0/mem_limit must be a text or a number, not 1e9999',
      '/services/0/containers/0/cpus must be a text or a number, not .nan',
    ])
  })

  it('G2 knows every place of a specification where a number may stand for a text', () => {
    expect(mixedPlaces(applicationSchema, '')).to.have.members(Object.keys(places))
  })

  it('G2 keeps the spelling in labels, logging options, sysctls, list or map', () => {
    expect(
      container(
        'labels: {a: 1.0, b: 0x1F, c: True}\nlogging: {driver: x, options: {max-file: 007}}\nsysctls: {net.core.somaxconn: 0x400}',
        '',
        { policy: { logDrivers: ['x'] } },
      ),
    ).to.deep.equal({
      labels: { a: '1.0', b: '0x1F', c: 'True' },
      logging: { driver: 'x', options: { 'max-file': '007' } },
      sysctls: { 'net.core.somaxconn': '0x400' },
    })
  })

  it('G2 keeps the spelling in variables, users, modes, ports and the options of a volume driver', () => {
    const { service: web, problems } = service(
      'env: {A: "${V}"}\nuser: 0022\nports: [0080, {target: 81, published: 08081}]\nmounts: [{volume-name: v, mount-path: /v}, {volume-name: t, mount-path: /t}]',
      'variables: [{name: V, value: 1.0}]\nvolumes: [{name: v, persistent-volume: {driver: x, driver_opts: {uid: 0644}}}, {name: t, tmpfs: {mode: 01777}}]',
      { policy: { volumeDrivers: ['x'], hostMounts: ['/'] } },
    )
    const [instance] = web?.instances ?? []
    const [only] = instance?.containers ?? []
    expect(problems).to.deep.equal([])
    expect(only?.env).to.deep.equal({ A: '1.0' })
    expect(only?.user).to.equal('0022')
    expect(only?.ports?.map(({ published }) => published)).to.deep.equal([undefined, 8081])
    expect(only?.mounts?.map(mount => (mount.kind === 'tmpfs' ? mount.mode : 'volume'))).to.have.members([
      'volume',
      0o1777,
    ])
    expect(instance?.volumes[0]?.driverOptions).to.deep.equal({ uid: '0644' })
  })

  it('G2 keeps the spelling of versions and of ranges of versions', () => {
    const { application, problems } = built(
      'name: shop\nversion: 1.10\nrequires: {db: 2.0}\nservices: [{name: web, containers: [{name: web, image: "web:1"}]}]',
    )
    expect(problems).to.deep.equal([])
    expect(application.version).to.equal('1.10')
    expect(application.requires).to.deep.equal([{ application: 'db', range: '2.0' }])
  })

  it('G2 keeps the spelling in what a hook and a Pallet service are given', () => {
    const { application, problems } = built(`name: shop
services:
  - name: web
    pallet: {domain: shop.example.com, environment: prod, services: [{type: elasticsearch, url: "http://es", index: 0022}]}
    strategy:
      type: Recreate
      recreate: {pre: {execNewPod: {containerName: web, args: [x], env: {A: 1.0, B: 0x1F}}}}
    containers: [{name: web, image: "web:1"}]`)
    expect(problems).to.deep.equal([])
    const [web] = application.services
    const hook = web?.jobs?.find(({ stage }) => stage === 'pre')?.container.env
    expect(hook?.['A']).to.equal('1.0')
    expect(hook?.['B']).to.equal('0x1F')
    expect(web?.instances[0]?.containers[0].env?.['ELASTICSEARCH_INDEX_NAME']).to.equal('0022')
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['a duration without a unit', 'stop_grace_period: 5', 'must be a text, not 5; write 5s'],
    [
      'a duration in another spelling',
      'healthcheck: {interval: 1.50}',
      'must be a text, not 1.50; write 1.50s',
    ],
    ['a truth value as a text', 'hostname: True', 'must be a text, not True; put it in quotes: "True"'],
    ['a number as a text', 'working_dir: 0x1F', 'must be a text, not 0x1F; put it in quotes: "0x1F"'],
    ['a number out of range', 'pids_limit: 0x7FFFFFFF', 'must be <= 4194304, not 0x7FFFFFFF'],
  ]
  for (const [what, line, message] of refused)
    it(`says how to write ${what}`, () => {
      const text = `name: a\nservices: [{name: a, containers: [{name: a, image: a, ${line}}]}]`
      expect(checkSchema('application', parseYaml('a.yaml', text)).map(formatProblem).join()).to.match(
        new RegExp(` ${message.replace(/[.+]/g, String.raw`\$&`)} \\(application-invalid\\)$`),
      )
    })
})

type Schema = { readonly [key: string]: unknown }

/** The places of a schema that take a text and a number, or a text and a truth value. */
function mixedPlaces(schema: Schema, place: string): readonly string[] {
  const types = [schema['type']].flat()
  const isMixed = types.includes('string') && types.some(type => scalars.includes(type))
  const inner = [
    ...Object.entries(recordOf(schema['properties'])).map(
      ([key, part]) => [`${place}/${key}`, part] as const,
    ),
    ...Object.entries(recordOf(schema['definitions'])).map(
      ([key, part]) => [`${place}/definitions/${key}`, part] as const,
    ),
    [`${place}/*`, schema['additionalProperties']] as const,
    [`${place}/*`, schema['items']] as const,
  ]
  const nested = inner.filter(([, part]) => typeof part === 'object')
  return [...(isMixed ? [place] : []), ...nested.flatMap(([at, part]) => mixedPlaces(recordOf(part), at))]
}

const scalars: readonly unknown[] = ['number', 'integer', 'boolean']

function recordOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
