import { expect } from 'chai'
import { declarationOf } from '../../../../../lib/state/image/declaration.ts'
import { app, builtPod, pod } from '../built-pod.ts'
import { shown } from './outcome.ts'

type Texts = Readonly<Record<string, string>>

const image = { name: 'reg.example.com/team/web', labels: [{ name: 'version', value: '2' }] }

/** The manifest of an image, made from its configuration in a registry, which an app without a section runs. */
function manifestOf(config: object, written: object = image, platform = 'linux/amd64') {
  const { instance, problems } = builtPod(pod({ apps: [app({ app: undefined, image: written })] }), {
    containers: [],
    declared: declarationOf(config, platform),
  })
  expect(problems).to.deep.equal([])
  return { image: instance?.pod?.images['main'], app: instance?.pod?.manifest.apps[0]?.app }
}

describe('C56 cases of the section of an image', () => {
  const usual = {
    user: '0',
    group: '0',
    supplementaryGIDs: [],
    workingDirectory: '/',
    environment: [],
    eventHandlers: [],
    mountPoints: [],
    ports: [],
    isolators: [],
  }
  const variables = (texts: Texts) => Object.entries(texts).map(([name, value]) => ({ name, value }))
  const port = (name: string, protocol: string, number: number) => ({
    ...{ name, protocol, port: number, count: 1, socketActivated: false },
  })
  const cases: readonly (readonly [config: object, section: object])[] = [
    [{}, {}],
    [{ Entrypoint: ['/init'] }, { exec: ['/init'] }],
    [{ Cmd: ['serve', '-v'] }, { exec: ['serve', '-v'] }],
    [{ Entrypoint: ['/init', '--'], Cmd: ['serve'] }, { exec: ['/init', '--', 'serve'] }],
    [{ Entrypoint: null, Cmd: ['/bin/sh', '-c', 'a && b'] }, { exec: ['/bin/sh', '-c', 'a && b'] }],
    [{ Entrypoint: [], Cmd: [] }, {}],
    [{ Entrypoint: '/init', Cmd: 7 }, {}],
    [{ User: '' }, {}],
    [{ User: '1000' }, { user: '1000' }],
    [{ User: 'app' }, { user: 'app' }],
    [{ User: '1000:33' }, { user: '1000', group: '33' }],
    [{ User: 'app:web' }, { user: 'app', group: 'web' }],
    [{ User: ':33' }, { group: '33' }],
    [{ User: 'app:' }, { user: 'app' }],
    [{ WorkingDir: '/srv/app' }, { workingDirectory: '/srv/app' }],
    [{ WorkingDir: null }, {}],
    [{ Env: ['A=1', 'B=', 'C=x=y z'] }, { environment: variables({ A: '1', B: '', C: 'x=y z' }) }],
    [{ Env: ['A', 'PATH=/opt/bin'] }, { environment: variables({ A: '', PATH: '/opt/bin' }) }],
    [{ ExposedPorts: { '80/tcp': {} } }, { ports: [port('80-tcp', 'tcp', 80)] }],
    [
      { ExposedPorts: { '9000': {}, '53/udp': {}, '53/tcp': {}, '7/sctp': {} } },
      {
        ports: [
          port('7-sctp', 'sctp', 7),
          port('53-tcp', 'tcp', 53),
          port('53-udp', 'udp', 53),
          port('9000-tcp', 'tcp', 9000),
        ],
      },
    ],
    [
      { ExposedPorts: { '0/tcp': {}, '65536/tcp': {}, '80/icmp': {}, 'http/tcp': {}, '-1': {}, '1-2': {} } },
      {},
    ],
    [{ ExposedPorts: ['80/tcp'] }, {}],
    [{ Healthcheck: { Test: ['CMD', 'x'] }, StopSignal: 'SIGINT', Domainname: 'a', OnBuild: ['RUN x'] }, {}],
  ]
  for (const [config, section] of cases)
    it(shown(config), () => {
      const made = manifestOf(config)
      expect(made.image?.app).to.deep.equal({ ...usual, ...section })
      expect(made.app, 'the app has it, too').to.deep.equal({ ...usual, ...section })
    })

  it('C12 what an image says of what it runs in is not what its app is told', () => {
    const Env = ['A=1', 'container=docker', 'AC_APP_NAME=x', 'AC_METADATA_URL=http://x']
    const { image: said, app: told } = manifestOf({ Env })
    expect(said?.app?.environment.map(({ name }) => name)).to.deep.equal([
      ...['A', 'container', 'AC_APP_NAME', 'AC_METADATA_URL'],
    ])
    expect(told?.environment).to.deep.equal([{ name: 'A', value: '1' }])
  })
})

describe('C22 C56 cases of the mount points of an image', () => {
  const cases: readonly (readonly [paths: readonly string[], names: readonly string[]])[] = [
    [['/data'], ['volume-data']],
    [['/var/lib/my_app/'], ['volume-var-lib-my-app']],
    [['/root/.cache'], ['volume-root-cache']],
    [['/srv//data'], ['volume-srv-data']],
    [['/Data'], ['volume-data']],
    [['/with space/%41'], ['volume-with-space-41']],
    [['/ä'], ['volume']],
    [
      ['/Data', '/data'],
      ['volume-data', 'volume-data-1'],
    ],
    [
      ['/a/.b', '/a/b', '/a_b'],
      ['volume-a-b', 'volume-a-b-1', 'volume-a-b-2'],
    ],
    [
      ['/a', '/a-1', '/a_'],
      ['volume-a', 'volume-a-1', 'volume-a-2'],
    ],
    [[`/${'x'.repeat(200)}`], [`volume-${'x'.repeat(113)}`]],
    [['relative', 'C:\\data'], []],
  ]
  for (const [paths, names] of cases)
    it(`${shown(paths)} are called ${shown(names)}`, () => {
      const { app: told } = manifestOf({ Volumes: Object.fromEntries(paths.map(path => [path, {}])) })
      expect(told?.mountPoints.map(({ name }) => name)).to.deep.equal(names)
    })

  for (const [path, name] of [
    ['/root/.cache', 'volume-root-cache'],
    ['/a__b', 'volume-a-b'],
    [`/${'x'.repeat(200)}`, `volume-${'x'.repeat(113)}`],
  ] as const)
    it(`a volume of the pod can have the name for ${shown(path)}`, () => {
      const volumes = [{ name, kind: 'empty' }]
      const { apps, problems, warnings } = builtPod(
        pod({ volumes, apps: [app({ app: undefined, image })] }),
        { containers: [], declared: declarationOf({ Volumes: { [path]: {} } }, 'linux/amd64') },
      )
      expect([...problems, ...warnings]).to.deep.equal([])
      expect(apps[0]?.mounts?.map(mount => 'name' in mount && mount.name)).to.deep.equal([name])
    })
})

describe('C22 C24 cases of mount points of an image that cannot be', () => {
  const cases: readonly (readonly [paths: readonly string[], path: string, why: string])[] = [
    [['/'], '/', 'is the root of the file system'],
    [['/a/../b'], '/a/../b', '"/a/../b" climbs with ".."'],
    [['/proc/x'], '/proc/x', 'is /proc/x, where the kernel shows what is its own'],
    [['/data', '/data/in'], '/data/in', 'is within /data, where something else is mounted'],
    [['/data', '/data/'], '/data/', 'mounts a second thing at /data'],
  ]
  for (const [paths, path, why] of cases)
    it(shown(paths), () => {
      const { problems } = builtPod(pod({ apps: [app({ app: undefined, image })] }), {
        containers: [],
        declared: declarationOf({ Volumes: Object.fromEntries(paths.map(one => [one, {}])) }, 'linux/amd64'),
      })
      expect(problems).to.deep.equal([`/apps/0/image expects a volume at ${path}: ${why} (pod-unrunnable)`])
    })
})

describe('C56 cases of the name and the labels of an image', () => {
  const named = (name: string, version: string) => ({ name, labels: [{ name: 'version', value: version }] })
  const id = `sha256-${'c0ffee'.repeat(11).slice(0, 64)}`
  const cases: readonly (readonly [written: object, platform: string, name: string, labels: Texts])[] = [
    [
      named('example.com/a', '1'),
      'linux/amd64',
      'example.com/a',
      { version: '1', os: 'linux', arch: 'amd64' },
    ],
    [named('a', '1'), 'linux/386', 'a', { version: '1', os: 'linux', arch: 'i386' }],
    [named('a', '1'), 'linux/arm64', 'a', { version: '1', os: 'linux', arch: 'aarch64' }],
    [named('a', '1'), 'linux/arm/v6', 'a', { version: '1', os: 'linux', arch: 'armv6l' }],
    [named('a', '1'), 'linux/arm/v7', 'a', { version: '1', os: 'linux', arch: 'armv7l' }],
    [named('a', '1'), 'linux/riscv64', 'a', { version: '1', os: 'linux', arch: 'riscv64' }],
    [{ name: 'a', id }, 'linux/s390x', 'a', { os: 'linux', arch: 's390x' }],
    [
      {
        ...named('a', '1'),
        labels: [
          { name: 'channel', value: 'beta' },
          { name: 'version', value: '1' },
        ],
      },
      'linux/ppc64le',
      'a',
      { channel: 'beta', version: '1', os: 'linux', arch: 'ppc64le' },
    ],
    [
      {
        ...named('a', '1'),
        labels: [
          { name: 'version', value: '1' },
          { name: 'os', value: 'linux' },
        ],
      },
      'linux/amd64',
      'a',
      { version: '1', os: 'linux', arch: 'amd64' },
    ],
  ]
  for (const [written, platform, name, labels] of cases)
    it(`${shown(written)} for ${platform}`, () => {
      const { image: made } = manifestOf({}, written, platform)
      expect([made?.acVersion, made?.acKind, made?.name]).to.deep.equal(['0.8.11', 'ImageManifest', name])
      expect(made?.labels).to.deep.equal(Object.entries(labels).map(([one, value]) => ({ name: one, value })))
    })
})

describe('C55 C56 cases of the annotations of an image', () => {
  const open = 'org.opencontainers.image'
  const cases: readonly (readonly [labels: object, annotations: Texts])[] = [
    [{}, {}],
    [{ team: 'shop' }, { team: 'shop' }],
    [
      { b: '2', a: '1', c: '' },
      { a: '1', b: '2', c: '' },
    ],
    [{ [`${open}.authors`]: 'Shop' }, { authors: 'Shop', [`${open}.authors`]: 'Shop' }],
    [
      { [`${open}.url`]: 'https://a.example' },
      { homepage: 'https://a.example', [`${open}.url`]: 'https://a.example' },
    ],
    [{ [`${open}.url`]: 'not a URL' }, { [`${open}.url`]: 'not a URL' }],
    [
      { [`${open}.created`]: '2024-05-14T23:11:14Z' },
      { created: '2024-05-14T23:11:14Z', [`${open}.created`]: '2024-05-14T23:11:14Z' },
    ],
    [{ [`${open}.created`]: '2024-05-14T24:00:00Z' }, { [`${open}.created`]: '2024-05-14T24:00:00Z' }],
    [
      { [`${open}.documentation`]: 'http://a.example/d', documentation: 'http://b.example' },
      { documentation: 'http://b.example', [`${open}.documentation`]: 'http://a.example/d' },
    ],
    [{ homepage: ' https://a.example' }, {}],
    [{ homepage: 'ftp://a.example', created: 'today' }, {}],
    [{ 'Upper-Case': 'x', 'with space': 'x', 'a:b': 'x', '-a': 'x', 'a/': 'x' }, {}],
    [{ 'tallyman/restart': 'never', tallyman: 'x' }, { tallyman: 'x' }],
    [{ number: 7, list: ['a'], nothing: null, text: 'x' }, { text: 'x' }],
  ]
  for (const [labels, annotations] of cases)
    it(shown(labels), () => {
      expect(manifestOf({ Labels: labels }).image?.annotations).to.deep.equal(
        Object.entries(annotations).map(([name, value]) => ({ name, value })),
      )
    })
})
