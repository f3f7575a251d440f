import type { Mount } from '../../../../../lib/state/application/container.ts'
import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown } from './outcome.ts'

const policy = { hostMounts: ['/'] }

/** A mount in one word: what is mounted, where, and whether it is only read. */
function told(mount: Mount): string {
  const source =
    mount.kind === 'host' ? mount.source : mount.kind === 'ephemeral' ? `(${mount.name})` : mount.kind
  const readOnly = 'readOnly' in mount && mount.readOnly === true ? ' read-only' : ''
  const flat = 'recursive' in mount && mount.recursive === false ? ' flat' : ''
  return `${source} at ${mount.path}${readOnly}${flat}`
}
const mountsOf = ({ apps }: Built) => apps.map(({ mounts = [] }) => mounts.map(told))

describe('C20 C21 cases of volumes', () => {
  const root = ({ instance }: Built) => instance?.sandbox?.mounts?.map(mount => 'root' in mount && mount.root)
  const empty = (rights: object) =>
    pod({
      volumes: [{ name: 'v', kind: 'empty', ...rights }],
      apps: [app({ mounts: [{ volume: 'v', path: '/v' }] })],
    })

  for (const [rights, expected] of [
    [{}, { mode: 0o755, uid: 0, gid: 0 }],
    [{ mode: '0777' }, { mode: 0o777, uid: 0, gid: 0 }],
    [{ mode: '700' }, { mode: 0o700, uid: 0, gid: 0 }],
    [
      { mode: '1777', uid: 65534 },
      { mode: 0o1777, uid: 65534, gid: 0 },
    ],
    [
      { mode: '2770', gid: 100 },
      { mode: 0o2770, uid: 0, gid: 100 },
    ],
    [{ mode: '0' }, { mode: 0, uid: 0, gid: 0 }],
    [
      { uid: 2147483647, gid: 2147483647 },
      { mode: 0o755, uid: 2147483647, gid: 2147483647 },
    ],
  ] as const)
    it(`an empty one of ${shown(rights)} has the mode ${expected.mode.toString(8)} and the owner ${expected.uid}:${expected.gid}`, () => {
      expectOutcome(empty(rights), root, [expected])
    })

  const octal = '/volumes/0/mode must be permissions of one to four octal digits'
  for (const [rights, problem] of [
    [{ mode: '0888' }, `${octal}, not "0888"`],
    [{ mode: 'rwxr-xr-x' }, `${octal}, not "rwxr-xr-x"`],
    [{ mode: '0o755' }, `${octal}, not "0o755"`],
    [{ mode: '00755' }, `${octal}, not "00755"`],
    [{ mode: '-755' }, `${octal}, not "-755"`],
    [{ mode: '' }, `${octal}, not ""`],
    [{ uid: -1 }, '/volumes/0/uid must be >= 0, not -1'],
    [{ gid: 2147483648 }, '/volumes/0/gid must be <= 2147483647, not 2147483648'],
    [{ gid: 'staff' }, '/volumes/0/gid must be a whole number, not "staff"'],
    [{ uid: 0.5 }, '/volumes/0/uid must be a whole number, not 0.5'],
    [{ readOnly: 'false' }, '/volumes/0/readOnly must be true or false, not "false"'],
    [{ source: '/x' }, '/volumes/0/source is for volumes of the kind host; an empty one has none'],
    [{ size: '1G' }, '/volumes/0/size is not a known key'],
  ] as const)
    it(`an empty one of ${shown(rights)} is refused`, () => {
      expectOutcome(empty(rights), root, refused(problem))
    })

  const host = (more: object) =>
    pod({
      volumes: [{ name: 'v', kind: 'host', ...more }],
      apps: [app({ mounts: [{ volume: 'v', path: '/v' }] })],
    })
  for (const [more, expected] of [
    [{ source: '/srv' }, [['/srv at /v']]],
    [{ source: '/srv//data/./' }, [['/srv/data at /v']]],
    [{ source: '/srv/with space' }, [['/srv/with space at /v']]],
    [{ source: '/srv', readOnly: false }, [['/srv at /v']]],
    [{ source: '/srv', readOnly: true }, [['/srv at /v read-only']]],
    [{ source: '/srv', recursive: true }, [['/srv at /v']]],
    [{ source: '/srv', recursive: false }, [['/srv at /v flat']]],
    [{ source: '' }, refused('/volumes/0/source "" is no absolute path')],
    [{ source: './srv' }, refused('/volumes/0/source "./srv" is no absolute path')],
    [{ source: '/srv/../etc' }, refused('/volumes/0/source "/srv/../etc" climbs with ".."')],
    [{ source: '/' }, refused('/volumes/0/source is the root of the file system')],
    [
      { source: '/srv', mode: '0755' },
      refused('/volumes/0/mode is for empty volumes; a directory of the host has its own'),
    ],
    [
      { source: '/srv', gid: 0 },
      refused('/volumes/0/gid is for empty volumes; a directory of the host has its own'),
    ],
    [{ source: '/srv', recursive: 'yes' }, refused('/volumes/0/recursive must be true or false, not "yes"')],
  ] as const)
    it(`one of the host, ${shown(more)}`, () => {
      expectOutcome(host(more), mountsOf, expected, { policy })
    })

  for (const kind of ['Host', 'tmpfs', 'bind', '', null])
    it(`there is none of the kind ${shown(kind)}`, () => {
      expectOutcome(
        pod({ volumes: [{ name: 'v', kind }] }),
        mountsOf,
        refused(`/volumes/0/kind must be one of "empty", "host", not ${JSON.stringify(kind)}`),
      )
    })
})

const a = { name: 'a', kind: 'host', source: '/host/a' }
const b = { name: 'b', kind: 'empty' }
const point = (name: string, path: string, more: object = {}) => ({ name, path, ...more })
const at = (volume: string, path: string, more: object = {}) => ({ volume, path, ...more })

type Case = readonly [
  what: string,
  parts: {
    readonly volumes?: readonly object[]
    readonly mounts?: readonly object[]
    readonly points?: readonly object[]
  },
  expected: readonly string[] | Refused,
]

const resolution: readonly Case[] = [
  ['nothing is mounted by itself', { volumes: [a, b] }, []],
  [
    'a mount of each volume',
    { volumes: [a, b], mounts: [at('b', '/b'), at('a', '/a')] },
    ['/host/a at /a', '(b) at /b'],
  ],
  [
    'one volume at two places',
    { volumes: [a], mounts: [at('a', '/x'), at('a', '/y')] },
    ['/host/a at /x', '/host/a at /y'],
  ],
  [
    'mount points by their names',
    { volumes: [a, b], points: [point('a', '/x'), point('b', '/y')] },
    ['/host/a at /x', '(b) at /y'],
  ],
  [
    'two mount points of one name are refused',
    { volumes: [a], points: [point('a', '/x'), point('a', '/y')] },
    refused('/apps/0/app/mountPoints/1/name is "a" a second time'),
  ],
  [
    'a mount point without a volume has its own',
    { points: [point('data', '/data')] },
    ['(main.data) at /data'],
  ],
  [
    'a mount at the path of a mount point takes its place',
    { volumes: [a, b], mounts: [at('b', '/a')], points: [point('a', '/a')] },
    ['(b) at /a'],
  ],
  [
    'a mount at that path in another spelling does, too',
    { volumes: [a, b], mounts: [at('b', '//a/./')], points: [point('a', '/a')] },
    ['(b) at /a'],
  ],
  [
    'a mount elsewhere leaves a mount point to its own volume',
    { volumes: [a, b], mounts: [at('b', '/b')], points: [point('a', '/a')] },
    ['/host/a at /a', '(b) at /b'],
  ],
  [
    'an appVolume is used in place of the volume of that name',
    { volumes: [a], mounts: [at('a', '/x', { appVolume: { name: 'c', kind: 'host', source: '/host/c' } })] },
    ['/host/c at /x'],
  ],
  [
    'an appVolume needs no volume of that name',
    { mounts: [at('none', '/x', { appVolume: b })] },
    ['(main.b) at /x'],
  ],
  [
    'a mount of an unknown volume',
    { volumes: [a], mounts: [at('c', '/x')] },
    refused('/apps/0/mounts/0/volume "c" is no volume of the pod'),
  ],
  [
    'a volume by the name of another kind of letter',
    { volumes: [a], mounts: [at('A', '/x')] },
    refused(
      '/apps/0/mounts/0/volume must be lower-case letters and digits, joined by single dashes, not "A"',
    ),
  ],
  [
    'an appVolume without a source',
    { mounts: [at('x', '/x', { appVolume: { name: 'x', kind: 'host' } })] },
    refused('/apps/0/mounts/0/appVolume is of the kind host, and needs a "source"'),
  ],
  [
    'a mount without a place',
    { volumes: [a], mounts: [{ volume: 'a' }] },
    refused('/apps/0/mounts/0/path is required'),
  ],
  ['a mount without a volume', { mounts: [{ path: '/x' }] }, refused('/apps/0/mounts/0/volume is required')],
  [
    'a place that is relative',
    { volumes: [a], mounts: [at('a', 'x')] },
    refused('/apps/0/mounts/0/path "x" is no absolute path'),
  ],
  [
    'a place that is the root',
    { volumes: [a], mounts: [at('a', '/')] },
    refused('/apps/0/mounts/0/path is the root of the file system'),
  ],
  [
    'a mount point that climbs',
    { points: [point('x', '/a/../../b')] },
    refused('/apps/0/app/mountPoints/0/path "/a/../../b" climbs with ".."'),
  ],
]

const readOnly: readonly Case[] = ([undefined, false, true] as const).flatMap(ofVolume =>
  ([undefined, false, true] as const).map((ofPoint): Case => {
    const isReadOnly = ofVolume ?? ofPoint ?? false
    const said = (value: boolean | undefined) => (value === undefined ? {} : { readOnly: value })
    return [
      `a volume ${ofVolume ?? 'without a word'} at a mount point ${ofPoint ?? 'without a word'}`,
      { volumes: [{ ...b, ...said(ofVolume) }], points: [point('b', '/b', said(ofPoint))] },
      [`(b) at /b${isReadOnly ? ' read-only' : ''}`],
    ]
  }),
)

const overlaps: readonly Case[] = [
  [
    'beside each other',
    { volumes: [a, b], mounts: [at('a', '/data'), at('b', '/database')] },
    ['/host/a at /data', '(b) at /database'],
  ],
  [
    'one within another',
    { volumes: [a, b], mounts: [at('a', '/data/in'), at('b', '/data')] },
    refused('/apps/0/mounts/0/path is within /data, where something else is mounted'),
  ],
  [
    'a mount point within a mount',
    { volumes: [a, b], mounts: [at('a', '/data')], points: [point('b', '/data/b')] },
    refused('/apps/0/app/mountPoints/0/path is within /data, where something else is mounted'),
  ],
  [
    'a mount within a mount point',
    { volumes: [a, b], mounts: [at('a', '/data/a')], points: [point('b', '/data')] },
    refused('/apps/0/mounts/0/path is within /data, where something else is mounted'),
  ],
  [
    'two at one place',
    { volumes: [a, b], mounts: [at('a', '/data'), at('b', '/data/')] },
    refused('/apps/0/mounts/1/path mounts a second thing at /data'),
  ],
  [
    'the files that engines write',
    { volumes: [b], mounts: [at('b', '/etc/hosts')] },
    refused(
      '/apps/0/mounts/0/path is /etc/hosts, which the engine writes anew at every start; "extra_hosts" adds to it',
    ),
  ],
  [
    'what the kernel shows',
    { volumes: [b], mounts: [at('b', '/sys/fs')] },
    refused('/apps/0/mounts/0/path is /sys/fs, where the kernel shows what is its own'),
  ],
  [
    'the devices',
    { volumes: [b], mounts: [at('b', '/dev')] },
    refused('/apps/0/mounts/0/path is /dev, where the engine puts the devices of the container'),
  ],
]

describe('cases of mounts', () => {
  for (const [title, cases] of [
    ['C22 D12 which volume is mounted', resolution],
    ['C23 whether it is only read', readOnly],
    ['C24 places that overlap', overlaps],
  ] as const)
    describe(title, () => {
      for (const [what, { volumes = [], mounts = [], points = [] }, expected] of cases)
        it(what, () => {
          const seen = (built: Built) => mountsOf(built)[0]
          expectOutcome(pod({ volumes, apps: [app({ mounts }, { mountPoints: points })] }), seen, expected, {
            policy,
          })
        })
    })
})
