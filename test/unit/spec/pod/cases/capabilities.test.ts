import { heldCapabilities } from '../../../../../lib/state/application/container/capabilities.ts'
import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown, unrunnable } from './outcome.ts'

const retain = 'os/linux/capabilities-retain-set'
const remove = 'os/linux/capabilities-remove-set'
const place = '/apps/0/app/isolators'

type Named = { readonly name: string; readonly value: unknown }
const inApp = (...isolators: readonly Named[]) => pod({ apps: [app({}, { isolators })] })
const kept = (...set: readonly string[]): Named => ({ name: retain, value: { set } })
const lost = (...set: readonly string[]): Named => ({ name: remove, value: { set } })

/** The fourteen capabilities that the specification gives to an app by itself. */
const usual = [
  ...['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD'],
  ...['NET_BIND_SERVICE', 'NET_RAW', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT'],
]
const all = usual.map(one => `CAP_${one}`)

describe('C40 cases of capabilities', () => {
  const cases: readonly (readonly [string, readonly Named[], readonly string[] | Refused])[] = [
    ['without an isolator', [], usual],
    ['retain one', [kept('CAP_NET_BIND_SERVICE')], ['NET_BIND_SERVICE']],
    [
      'retain the two of the example in the specification',
      [kept('CAP_NET_ADMIN', 'CAP_NET_BIND_SERVICE')],
      ['NET_ADMIN', 'NET_BIND_SERVICE'],
    ],
    ['retain all fourteen', [kept(...all)], usual],
    ['retain one twice', [kept('CAP_CHOWN', 'CAP_CHOWN')], ['CHOWN']],
    ['retain one in two sets', [kept('CAP_CHOWN'), kept('CAP_CHOWN', 'CAP_FOWNER')], ['CHOWN', 'FOWNER']],
    [
      'retain three in three sets',
      [kept('CAP_KILL'), kept('CAP_MKNOD'), kept('CAP_CHOWN')],
      ['CHOWN', 'KILL', 'MKNOD'],
    ],
    ['retain in lower case', [kept('cap_chown')], ['CHOWN']],
    ['retain without the prefix', [kept('SETUID')], ['SETUID']],
    ['retain only one that does not exist', [kept('CAP_UNICORNS')], []],
    ['retain one of those two that exist', [kept('CAP_UNICORNS', 'CAP_SETGID')], ['SETGID']],
    ['retain everything by the word ALL, which is no capability', [kept('ALL')], []],
    ['remove one', [lost('CAP_NET_RAW')], usual.filter(one => one !== 'NET_RAW')],
    [
      'remove in two sets',
      [lost('CAP_NET_RAW'), lost('CAP_MKNOD')],
      usual.filter(one => !/RAW|MKNOD/.test(one)),
    ],
    ['remove one that no app has', [lost('CAP_SYS_ADMIN')], usual],
    ['remove one that does not exist', [lost('CAP_UNICORNS')], usual],
    ['remove all fourteen', [lost(...all)], []],
    [
      'remove by the word ALL, which is no capability',
      [lost('ALL', 'CAP_KILL')],
      usual.filter(one => one !== 'KILL'),
    ],
    ['retain nothing', [kept()], refused(`${place}/0/value/set must not be empty`)],
    ['remove nothing', [lost()], refused(`${place}/0/value/set must not be empty`)],
    [
      'remove, and then retain',
      [lost('CAP_KILL'), kept('CAP_CHOWN')],
      refused(`${place}/1/name stands beside the other set of capabilities; keep one of them`),
    ],
    ...[
      null,
      [],
      ['CAP_KILL'],
      'CAP_KILL',
      {},
      { set: null },
      { set: { CAP_KILL: true } },
      { set: ['CAP_KILL', 1] },
    ].map(
      value =>
        [
          `retain ${shown(value)}`,
          [{ name: retain, value }],
          refused(`${place}/0/value must be an object whose "set" is a list of names`),
        ] as const,
    ),
  ]
  for (const [what, isolators, expected] of cases)
    it(what, () => {
      const seen = ({ apps }: Built) => apps[0] && [...heldCapabilities(apps[0])].sort()
      expectOutcome(inApp(...isolators), seen, expected, { policy: { capabilities: ['NET_ADMIN'] } })
    })
})

describe('C40 cases of sets of system calls', () => {
  const set = (mode: 'retain' | 'remove', value: unknown): Named => ({
    name: `os/linux/seccomp-${mode}-set`,
    value,
  })
  const filter = ({ apps }: Built) => apps[0]?.systemCalls
  const names = ['clock_adjtime', 'clock_settime', 'reboot']
  const oddSet = `${place}/0/value must be an object whose "set" is a list of names`
  const oddError = `${place}/0/value/errno must be the name of an error of Linux; write for example "EPERM"`
  const cases: readonly (readonly [string, readonly Named[], unknown])[] = [
    [
      'remove those of the example in the specification',
      [set('remove', { set: names, errno: 'ENOTSUP' })],
      { mode: 'remove', calls: names, errno: 95 },
    ],
    ['remove without an error', [set('remove', { set: ['ptrace'] })], { mode: 'remove', calls: ['ptrace'] }],
    [
      'remove with null for an error',
      [set('remove', { set: ['ptrace'], errno: null })],
      { mode: 'remove', calls: ['ptrace'] },
    ],
    [
      'remove one twice',
      [set('remove', { set: ['mount', 'chroot', 'mount'] })],
      { mode: 'remove', calls: ['chroot', 'mount'] },
    ],
    [
      'retain those of the example in the specification',
      [set('retain', { set: ['accept', 'bind', 'listen', 'read', 'socket', 'write'], errno: '' })],
      { mode: 'retain', calls: ['accept', 'bind', 'listen', 'read', 'socket', 'write'] },
    ],
    [
      'retain what is no system call',
      [set('retain', { set: ['read', 'READ', 'open_sesame'] })],
      { mode: 'retain', calls: ['read'] },
    ],
    ['remove nothing but the engine does', [set('remove', { set: ['@appc.io/empty', 'read'] })], undefined],
    [
      'remove what the engine does not permit anyway',
      [set('remove', { set: ['@docker/default-blacklist'] })],
      { mode: 'remove', calls: [] },
    ],
    ...(
      [
        ['EACCES', 13],
        ['E2BIG', 7],
        ['EAGAIN', 11],
        ['EWOULDBLOCK', 11],
        ['ENOSYS', 38],
        ['EOPNOTSUPP', 95],
        ['EHWPOISON', 133],
      ] as const
    ).map(
      ([errno, number]) =>
        [
          `end with ${errno}`,
          [set('remove', { set: ['mount'], errno })],
          { mode: 'remove', calls: ['mount'], errno: number },
        ] as const,
    ),
    ...['eperm', 'EPERM ', 'PERM', 'ENOTHING', 'E', '1', 1, ['EPERM']].map(
      errno =>
        [
          `end with ${shown(errno)}, which is no error`,
          [set('remove', { set: ['mount'], errno })],
          refused(oddError),
        ] as const,
    ),
    ['retain nothing', [set('retain', { set: [] })], refused(`${place}/0/value/set must not be empty`)],
    ['remove a text', [set('remove', { set: 'reboot' })], refused(oddSet)],
    ['remove numbers', [set('remove', { set: [169] })], refused(oddSet)],
    [
      'remove what no program can do without',
      [set('remove', { set: ['execve'] })],
      unrunnable(`${place} remove the system call execve, without which no program starts`),
    ],
    [
      'remove, and then retain',
      [set('remove', { set: ['reboot'] }), set('retain', { set: ['read'] })],
      refused(`${place}/1/name stands beside the other set of system calls; keep one of them`),
    ],
  ]
  for (const [what, isolators, expected] of cases)
    it(what, () => {
      expectOutcome(inApp(...isolators), filter, expected)
    })
})
