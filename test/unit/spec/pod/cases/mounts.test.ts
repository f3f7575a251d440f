import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused } from './outcome.ts'
import { mountsOf } from './told-mounts.ts'

const policy = { hostMounts: ['/'] }

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

const own = (more: object = {}) => ({ appVolume: { name: 'w', kind: 'empty', ...more } })

const ofOneApp: readonly Case[] = [
  [
    'one appVolume at two places',
    { mounts: [at('w', '/x', own()), at('w', '/y', own({ mode: '0755', uid: 0 }))] },
    ['(main.w) at /x', '(main.w) at /y'],
  ],
  [
    'two of one name and other permissions',
    { mounts: [at('w', '/x', own()), at('w', '/y', own({ mode: '0700' }))] },
    refused('/apps/0/mounts/1/appVolume is "w" a second time, with other permissions or another owner'),
  ],
  [
    'two of one name and another owner',
    { mounts: [at('w', '/x', own({ uid: 1 })), at('w', '/y', own({ gid: 1 }))] },
    refused('/apps/0/mounts/1/appVolume is "w" a second time, with other permissions or another owner'),
  ],
  [
    'one of the name of a mount point without a volume, which stays by itself',
    { mounts: [at('w', '/x', own())], points: [point('w', '/w'), point('w-2', '/v')] },
    ['(main.w-2-2) at /v', '(main.w-2) at /w', '(main.w) at /x'],
  ],
  [
    'one of the name of a volume of the pod',
    { volumes: [{ name: 'w', kind: 'empty' }], mounts: [at('w', '/x', own()), at('w', '/y')] },
    ['(main.w) at /x', '(w) at /y'],
  ],
  [
    'two of the host',
    {
      mounts: ['a', 'b'].map(name =>
        at('h', `/${name}`, { appVolume: { name: 'h', kind: 'host', source: `/host/${name}` } }),
      ),
    },
    ['/host/a at /a', '/host/b at /b'],
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
    refused('/apps/0/mounts/0/path is /etc/hosts, which the engine writes anew at every start'),
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
    ['C22 volumes of single mounts', ofOneApp],
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
