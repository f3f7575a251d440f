import { expect } from 'chai'
import { app, builtPod, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown } from './outcome.ts'

type Named = { readonly name: string; readonly value?: unknown }

const inApp = (...isolators: readonly Named[]) => pod({ apps: [app({}, { isolators })] })
const place = '/apps/0/app/isolators'

describe('C40 cases of numbers and switches', () => {
  const shares = (value: unknown): Named => ({ name: 'os/linux/cpu-shares', value })
  const score = (value: unknown): Named => ({ name: 'os/linux/oom-score-adj', value })
  const fixed = (value?: unknown): Named => ({ name: 'os/linux/no-new-privileges', value })

  for (const value of [2, 3, 512, 1024, 262_143])
    it(`cpu-shares ${value} are those of the container`, () => {
      expectOutcome(inApp(shares(value)), ({ apps }) => apps[0]?.cpuShares, value)
    })

  for (const value of [0, -2, 262_145, 2.5, '1024', true, null, [1024], { shares: 2 }])
    it(`cpu-shares ${shown(value)} are refused`, () => {
      expectOutcome(
        inApp(shares(value)),
        () => 'accepted',
        refused(`${place}/0/value must be a whole number from 2 to 262144`),
      )
    })

  for (const [value, seen] of [
    [0, undefined],
    [1, 1],
    [999, 999],
    [-1, -1],
    [-999, -999],
    [-1000, -1000],
  ] as const)
    it(`oom-score-adj ${value} is that of the container`, () => {
      expectOutcome(inApp(score(value)), ({ apps }) => apps[0]?.oomScoreAdj, seen, {
        policy: { oomProtection: true },
      })
    })

  for (const value of [1001, -1001, 0.5, '250', false, null, {}])
    it(`oom-score-adj ${shown(value)} is refused`, () => {
      expectOutcome(
        inApp(score(value)),
        () => 'accepted',
        refused(`${place}/0/value must be a whole number from -1000 to 1000`),
      )
    })

  for (const [name, value] of [
    ['os/linux/cpu-shares', 1024],
    ['os/linux/oom-score-adj', 10],
    ['os/linux/seccomp-remove-set', { set: ['reboot'] }],
    ['os/linux/seccomp-retain-set', { set: ['read'] }],
    ['os/linux/apparmor-profile', { profile: 'docker-default' }],
  ] as const)
    it(`${name} stands in an app once`, () => {
      expectOutcome(
        inApp({ name, value }, { name, value }),
        () => 'accepted',
        refused(`${place}/1/name is "${name}" a second time`),
        { policy: { securityOptions: ['apparmor=docker-default'] } },
      )
    })

  for (const [values, options] of [
    [[false], undefined],
    [[true, false], ['no-new-privileges:true']],
    [[false, false], undefined],
  ] as const)
    it(`no-new-privileges ${values.join(', then ')}`, () => {
      expectOutcome(inApp(...values.map(fixed)), ({ apps }) => apps[0]?.securityOpt, options)
    })

  for (const value of ['true', 0, 1, null, [], {}, undefined])
    it(`no-new-privileges ${shown(value)} is refused`, () => {
      expectOutcome(inApp(fixed(value)), () => 'accepted', refused(`${place}/0/value must be true or false`))
    })
})

describe('C40 cases of security modules', () => {
  const apparmor = (value: unknown): Named => ({ name: 'os/linux/apparmor-profile', value })
  const selinux = (value: unknown): Named => ({ name: 'os/linux/selinux-context', value })
  const context = { user: 'system_u', role: 'system_r', type: 'dhcpc_t', level: 's0' }
  const policy = {
    securityOptions: [
      'user:system_u',
      'role:system_r',
      'type:dhcpc_t',
      'level:s0',
      'level:s0:c1,c2',
      'type:t',
    ]
      .map(part => `label=${part}`)
      .concat('apparmor=mine', 'apparmor=other'),
  }
  const labels = ['label=level:s0', 'label=role:system_r', 'label=type:dhcpc_t', 'label=user:system_u']

  const cases: readonly (readonly [string, object, readonly string[] | Refused])[] = [
    ['a profile of an app', inApp(apparmor({ profile: 'mine' })), ['apparmor=mine']],
    ['a profile of the pod', pod({ isolators: [apparmor({ profile: 'mine' })] }), ['apparmor=mine']],
    [
      'a profile of an app in a pod with another one',
      { ...inApp(apparmor({ profile: 'mine' })), isolators: [apparmor({ profile: 'other' })] },
      ['apparmor=mine'],
    ],
    ['a context of an app', inApp(selinux(context)), labels],
    ['a context of the pod', pod({ isolators: [selinux(context)] }), labels],
    [
      'a context with categories',
      inApp(selinux({ ...context, level: 's0:c1,c2' })),
      ['label=level:s0:c1,c2', ...labels.slice(1)],
    ],
    [
      'a context of an app in a pod with another one',
      { ...inApp(selinux({ ...context, type: 't' })), isolators: [selinux(context)] },
      ['label=level:s0', 'label=role:system_r', 'label=type:t', 'label=user:system_u'],
    ],
    [
      'a profile and a context',
      inApp(apparmor({ profile: 'mine' }), selinux(context)),
      ['apparmor=mine', ...labels],
    ],
    ...['mine', {}, { profile: '' }, { profile: 1 }, null].map(
      value =>
        [
          `the profile ${shown(value)}`,
          inApp(apparmor(value)),
          refused(`${place}/0/value must be an object whose "profile" is a text`),
        ] as const,
    ),
    ...(['user', 'role', 'type', 'level'] as const).map(
      part =>
        [
          `a context with an empty ${part}`,
          inApp(selinux({ ...context, [part]: '' })),
          refused(`${place}/0/value must be an object whose "${part}" is a text`),
        ] as const,
    ),
    ...(['user', 'type'] as const).map(
      part =>
        [
          `a context with a colon in its ${part}`,
          inApp(selinux({ ...context, [part]: 'a:b' })),
          refused(`${place}/0/value/${part} has a colon`),
        ] as const,
    ),
    [
      'two contexts of a pod',
      pod({ isolators: [selinux(context), selinux(context)] }),
      refused('/isolators/1/name is "os/linux/selinux-context" a second time'),
    ],
  ]
  for (const [what, manifest, expected] of cases)
    it(what, () => {
      expectOutcome(manifest, ({ apps }) => apps[0]?.securityOpt, expected, { policy })
    })
})

describe('C40 cases of kernel parameters', () => {
  const sysctl = (value: unknown): Named => ({ name: 'os/unix/sysctl', value })
  const seen = ({ instance }: Built) => instance?.sandbox?.sysctls

  for (const [value, expected] of [
    [{ 'net.core.somaxconn': '1024' }, { 'net.core.somaxconn': '1024' }],
    [
      { 'net.ipv4.tcp_keepalive_time': '300', 'net.ipv4.tcp_keepalive_intvl': '15' },
      { 'net.ipv4.tcp_keepalive_time': '300', 'net.ipv4.tcp_keepalive_intvl': '15' },
    ],
    [{ 'net.ipv4.ip_local_port_range': '1024 65000' }, { 'net.ipv4.ip_local_port_range': '1024 65000' }],
    [{ 'kernel.shmmax': '68719476736' }, { 'kernel.shmmax': '68719476736' }],
    [{ 'net.core.somaxconn': '' }, { 'net.core.somaxconn': '' }],
    [{}, undefined],
    [
      { 'net.core.somaxconn': 1024 },
      refused('/isolators/0/value/net.core.somaxconn must be a text; put it in quotes'),
    ],
    [
      { 'net.core.somaxconn': null },
      refused('/isolators/0/value/net.core.somaxconn must be a text; put it in quotes'),
    ],
    [
      { 'net..core': '1' },
      refused('/isolators/0/value/net..core is no kernel parameter; write for example net.core.somaxconn'),
    ],
    [
      { 'net.core.somaxconn': '1\n2' },
      refused('/isolators/0/value/net.core.somaxconn must be one line, because the kernel takes no more'),
    ],
    [
      'net.core.somaxconn=1',
      refused('/isolators/0/value must be an object of kernel parameters and their values'),
    ],
    [
      ['net.core.somaxconn=1'],
      refused('/isolators/0/value must be an object of kernel parameters and their values'),
    ],
  ] as const)
    it(`of the pod: ${shown(value)}`, () => {
      expectOutcome(pod({ isolators: [sysctl(value)] }), seen, expected)
    })

  it('of an app are ignored', () => {
    expectOutcome(inApp(sysctl({ 'net.core.somaxconn': '1' })), built => [seen(built), built.warnings], [
      undefined,
      [`${place}/0 os/unix/sysctl is ignored: it is for the pod (pod-changed)`],
    ])
  })
})

describe('C40 cases of isolators that nobody knows', () => {
  for (const [name, value, meant] of [
    ['example.com/quota', { a: [1] }, undefined],
    ['os/linux/cpu-share', 1024, 'os/linux/cpu-shares'],
    ['os/linux/capability-retain-set', { set: [] }, 'os/linux/capabilities-retain-set'],
    ['os/linux/ulimit', undefined, undefined],
    ['os/windows/job', null, undefined],
    ['memory', { limit: '1G' }, 'resource/memory'],
    ['constructor', 1, undefined],
  ] as const)
    it(`${name} is ignored with a warning, in an app and in a pod`, () => {
      const question = meant === undefined ? '' : `; did you mean "${meant}"?`
      expectOutcome({ ...inApp({ name, value }), isolators: [{ name, value }] }, ({ warnings }) => warnings, [
        `${place}/0 ${name} is ignored: it is not known${question} (pod-changed)`,
        `/isolators/0 ${name} is ignored: it is not known${question} (pod-changed)`,
      ])
    })
  it('one is named where it stands, also behind one that is wrong', () => {
    const isolators = [
      { name: 'os/linux/cpu-shares', value: 1 },
      { name: 'example.com/quota', value: 1 },
    ]
    expect(builtPod(pod({ isolators })).warnings).to.deep.equal([
      '/isolators/1 example.com/quota is ignored: it is not known (pod-changed)',
    ])
  })

  it('G24 what is meant is asked for the first sixteen only', () => {
    const isolators = Array.from({ length: 17 }, () => ({ name: 'resource/memori', value: 1 }))
    const { warnings } = builtPod(pod({ isolators }))
    expect(warnings.filter(one => one.includes('did you mean "resource/memory"?'))).to.have.length(16)
    expect(warnings).to.have.length(17)
  })
})
