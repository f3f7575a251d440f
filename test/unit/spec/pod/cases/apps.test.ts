import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown, unrunnable } from './outcome.ts'

const withApp = (itself: object) => pod({ apps: [app({}, itself)] })
const place = '/apps/0/app'

type Case = readonly [itself: object, seen: unknown | Refused]

function each(cases: readonly Case[], seen: (built: Built) => unknown): void {
  for (const [itself, expected] of cases)
    it(shown(itself), () => {
      expectOutcome(withApp(itself), seen, expected)
    })
}

describe('C10 cases of programs', () => {
  const program = ({ apps: [first] }: Built) => [first?.entrypoint, first?.command]
  each(
    [
      [{ exec: ['/bin/true'] }, [['/bin/true'], undefined]],
      [{ exec: ['sh', '-c', 'exit 3'] }, [['sh'], ['-c', 'exit 3']]],
      [{ exec: ['./run', ''] }, [['./run'], ['']]],
      [{ exec: ['/a b/c', '--x=$HOME', '*', '\\n', '"q"'] }, [['/a b/c'], ['--x=$HOME', '*', '\\n', '"q"']]],
      [{ exec: ['/bin/echo', 'two\nlines', 'ä'] }, [['/bin/echo'], ['two\nlines', 'ä']]],
      [{ exec: [] }, [undefined, undefined]],
      [{ exec: null }, [undefined, undefined]],
      [{ exec: undefined }, [undefined, undefined]],
      [{ exec: [''] }, refused(`${place}/exec/0 is empty`)],
      [{ exec: ['/a', 1] }, refused(`${place}/exec/1 must be a text, not 1; put it in quotes: "1"`)],
      [{ exec: ['/a', null] }, refused(`${place}/exec/1 must be a text, not null`)],
      [{ exec: { 0: '/a' } }, refused(`${place}/exec must be a list, not an object`)],
      [{ exec: ['/a', 'b\0c'] }, refused(`${place}/exec/1 holds a NUL character`)],
    ],
    program,
  )
})

describe('C10 cases of users and groups', () => {
  const account = ({ apps: [first] }: Built) => [first?.user, first?.groupAdd, first?.needs?.account]
  const noUser = (text: string) =>
    `${place}/user "${text}" is no user without a group; write for example 1000`
  const noGroup = (text: string) => `${place}/group "${text}" is no group; write for example 1000`
  each(
    [
      [{ user: '0', group: '0' }, ['0:0', undefined, undefined]],
      [{ user: '1000', group: '33' }, ['1000:33', undefined, undefined]],
      [{ user: '2147483647', group: '2147483647' }, ['2147483647:2147483647', undefined, undefined]],
      [{ user: 'root', group: 'wheel' }, ['root:wheel', undefined, true]],
      [{ user: 'www-data', group: '0' }, ['www-data:0', undefined, true]],
      [{ user: '0', group: 'Domain.Users' }, ['0:Domain.Users', undefined, true]],
      [{ user: 'host$', group: '_apt' }, ['host$:_apt', undefined, true]],
      [
        { user: '/usr/bin/ping', group: '/etc/../etc' },
        refused(`${place}/group "/etc/../etc" climbs with ".."`),
      ],
      [{ user: '/usr/bin/ping', group: '/usr/bin/ping' }, ['/usr/bin/ping:/usr/bin/ping', undefined, true]],
      [{ user: '/usr//bin/./ping/', group: '0' }, ['/usr/bin/ping:0', undefined, true]],
      [{ user: '', group: '0' }, refused(`${place}/user must not be empty`)],
      [{ user: '0', group: undefined }, refused(`${place}/group is required`)],
      [{ user: 0, group: '0' }, refused(`${place}/user must be a text, not 0; put it in quotes: "0"`)],
      [{ user: '-1', group: '0' }, refused(noUser('-1'))],
      [{ user: 'a b', group: '0' }, refused(noUser('a b'))],
      [{ user: '0:0', group: '0' }, refused(noUser('0:0'))],
      [{ user: '0', group: '0:1' }, refused(noGroup('0:1'))],
      [{ user: '0', group: '*' }, refused(noGroup('*'))],
      [{ user: '/', group: '0' }, refused(`${place}/user is the root of the file system`)],
      [
        { user: '2147483648', group: '0' },
        refused(
          `${place}/user "2147483648" has a number above 2147483647, the last one that the engine takes`,
        ),
      ],
      [
        { user: '0', group: '/a:b' },
        unrunnable(`${place}/group is a path with a colon, which no engine is asked for`),
      ],
      [{ supplementaryGIDs: [] }, ['0:0', undefined, undefined]],
      [{ supplementaryGIDs: [100] }, ['0:0', ['100'], undefined]],
      [{ supplementaryGIDs: [27, 0, 27, 100] }, ['0:0', ['0', '100', '27'], undefined]],
      [
        { supplementaryGIDs: [2147483648] },
        refused(`${place}/supplementaryGIDs/0 must be <= 2147483647, not 2147483648`),
      ],
      [
        { supplementaryGIDs: ['27'] },
        refused(`${place}/supplementaryGIDs/0 must be a whole number, not "27"`),
      ],
      [{ supplementaryGIDs: [1.5] }, refused(`${place}/supplementaryGIDs/0 must be a whole number, not 1.5`)],
      [{ supplementaryGIDs: 27 }, refused(`${place}/supplementaryGIDs must be a list, not 27`)],
    ],
    account,
  )
})

describe('C11 cases of working directories', () => {
  const directory = ({ apps: [first] }: Built) => [first?.workingDir, first?.needs?.workingDir]
  const data = { mountPoints: [{ name: 'data', path: '/data' }] }
  each(
    [
      [{ workingDirectory: undefined }, ['/', undefined]],
      [{ workingDirectory: '/' }, ['/', undefined]],
      [{ workingDirectory: '/opt/work' }, ['/opt/work', true]],
      [{ workingDirectory: '/opt//work/./' }, ['/opt/work', true]],
      [{ workingDirectory: '/with space/ä' }, ['/with space/ä', true]],
      [{ workingDirectory: '/data', ...data }, ['/data', undefined]],
      [{ workingDirectory: '/data/in/it', ...data }, ['/data/in/it', undefined]],
      [{ workingDirectory: '/database', ...data }, ['/database', true]],
      [{ workingDirectory: '' }, refused(`${place}/workingDirectory "" is no absolute path`)],
      [{ workingDirectory: '.' }, refused(`${place}/workingDirectory "." is no absolute path`)],
      [{ workingDirectory: 'opt/work' }, refused(`${place}/workingDirectory "opt/work" is no absolute path`)],
      [{ workingDirectory: '~' }, refused(`${place}/workingDirectory "~" is no absolute path`)],
      [
        { workingDirectory: '/opt/../etc' },
        refused(`${place}/workingDirectory "/opt/../etc" climbs with ".."`),
      ],
      [{ workingDirectory: ['/opt'] }, refused(`${place}/workingDirectory must be a text, not a list`)],
    ],
    directory,
  )
})

describe('C12 cases of variables', () => {
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const told = { PATH: path, AC_APP_NAME: 'main', container: 'tallyman' }
  const variables = ({ apps: [first] }: Built) => first?.env
  const listed = (...pairs: readonly (readonly [unknown, unknown])[]) => ({
    environment: pairs.map(([name, value]) => ({ name, value })),
  })
  const form = `${place}/environment/0/name must be letters, digits and "_.-" that begin with a letter or "_"`
  each(
    [
      [listed(), told],
      [listed(['A', '1']), { ...told, A: '1' }],
      [listed(['_', ''], ['a.b-c', 'x'], ['Z9', 'y']), { ...told, _: '', 'a.b-c': 'x', Z9: 'y' }],
      [listed(['PATH', '/opt/bin']), { ...told, PATH: '/opt/bin' }],
      [listed(['path', '/opt/bin']), { ...told, path: '/opt/bin' }],
      [listed(['HOME', '$PATH:${A}']), { ...told, HOME: '$PATH:${A}' }],
      [listed(['A', 'b=c\nd'], ['B', ' ']), { ...told, A: 'b=c\nd', B: ' ' }],
      [listed(['AC_APP_NAMES', 'a'], ['CONTAINER', 'b']), { ...told, AC_APP_NAMES: 'a', CONTAINER: 'b' }],
      [listed(['A', '1'], ['A', '1']), refused(`${place}/environment/1/name is "A" a second time`)],
      [
        listed(['AC_METADATA_URL', '']),
        refused(`${place}/environment/0/name is "AC_METADATA_URL", which Tallyman sets itself; leave it out`),
      ],
      [
        listed(['container', 'rkt']),
        refused(`${place}/environment/0/name is "container", which Tallyman sets itself; leave it out`),
      ],
      ...['1A', 'A=B', 'A B', '-A', '.A', 'Ä', 'A$', 'A\n'].map(
        name => [listed([name, '']), refused(`${form}, not ${JSON.stringify(name)}`)] as const,
      ),
      [
        listed(['A', 1]),
        refused(`${place}/environment/0/value must be a text, not 1; put it in quotes: "1"`),
      ],
      [listed(['A', undefined]), refused(`${place}/environment/0/value is required`)],
      [{ environment: { A: '1' } }, refused(`${place}/environment must be a list, not an object`)],
      [{ environment: ['A=1'] }, refused(`${place}/environment/0 must be an object, not "A=1"`)],
    ],
    variables,
  )
})

describe('C13 cases of event handlers', () => {
  const handlers = ({ apps: [first] }: Built) => first?.handlers
  const before = { name: 'pre-start', exec: ['/bin/fetch', '-q'] }
  const after = { name: 'post-stop', exec: ['/bin/tidy'] }
  const known = 'must be one of "pre-start", "post-stop"'
  each(
    [
      [{ eventHandlers: [] }, undefined],
      [{ eventHandlers: [before] }, { preStart: ['/bin/fetch', '-q'] }],
      [{ eventHandlers: [after] }, { postStop: ['/bin/tidy'] }],
      [{ eventHandlers: [after, before] }, { preStart: ['/bin/fetch', '-q'], postStop: ['/bin/tidy'] }],
      [
        { eventHandlers: [after, before, after] },
        refused(`${place}/eventHandlers/2/name is "post-stop" a second time`),
      ],
      [
        { eventHandlers: [{ ...before, name: 'post-start' }] },
        refused(`${place}/eventHandlers/0/name ${known}, not "post-start"`),
      ],
      [
        { eventHandlers: [{ ...before, name: 'pre-stop' }] },
        refused(`${place}/eventHandlers/0/name ${known}, not "pre-stop"`),
      ],
      [
        { eventHandlers: [{ ...before, name: 'PRE-START' }] },
        refused(`${place}/eventHandlers/0/name ${known}, not "PRE-START"`),
      ],
      [{ eventHandlers: [{ exec: ['/x'] }] }, refused(`${place}/eventHandlers/0/name is required`)],
      [
        { eventHandlers: [{ ...before, exec: '/x' }] },
        refused(`${place}/eventHandlers/0/exec must be a list, not "/x"`),
      ],
      [
        { eventHandlers: [{ ...before, exec: [] }] },
        unrunnable(`${place}/eventHandlers/0 has no "exec", so there is nothing to run`),
      ],
      [
        { eventHandlers: [{ ...before, exec: null }] },
        unrunnable(`${place}/eventHandlers/0 has no "exec", so there is nothing to run`),
      ],
      [
        { eventHandlers: [{ ...after, exec: [''] }] },
        unrunnable(`${place}/eventHandlers/0 has no "exec", so there is nothing to run`),
      ],
      [
        { exec: [], eventHandlers: [before] },
        unrunnable(
          `${place}/eventHandlers stand in an app without "exec", and what its image runs is not known here`,
        ),
      ],
    ],
    handlers,
  )
})
