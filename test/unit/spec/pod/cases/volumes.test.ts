import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, refused, shown } from './outcome.ts'
import { mountsOf } from './told-mounts.ts'

const policy = { hostMounts: ['/'] }

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
