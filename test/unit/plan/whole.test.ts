import { expect } from 'chai'
import { printed } from '../../../lib/cli/output/printed.ts'
import { digestsOf } from '../../../lib/journal/history/digests.ts'
import type { Plan } from '../../../lib/plan/change/change.ts'
import type { FieldChange } from '../../../lib/plan/compare/field/field-change.ts'
import { planJson } from '../../../lib/plan/text/json.ts'
import { renderPlan } from '../../../lib/plan/text/render.ts'
import type { Instance } from '../../../lib/state/application/application.ts'
import type { Container, Port } from '../../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import {
  application,
  container,
  desired,
  digest,
  instance,
  live,
  service,
} from '../../support/builders/builders.ts'
import { madeFrom, onlyChange, planOf, type Situation } from '../../support/builders/planning.ts'

const nothing = { site: 'local', containers: [] }

/** An environment whose only service has these instances. */
function running(...instances: readonly Instance[]): DesiredState {
  return desired(application('web', [{ ...service(), instances }]))
}

function alone(parts: Partial<Container>, more: Partial<Instance> = {}): Instance {
  return { ...instance(), containers: [{ ...container(), ...parts }], ...more }
}

function planned(state: DesiredState, situation: Partial<Situation> = {}): Plan {
  return planOf({ desired: state, live: nothing, ...situation })
}

/** What stands below the names of the instances, up to how it is done. */
function told(plan: Plan, verbose = false): readonly string[] {
  return printed(renderPlan(plan, { verbose }), false)
    .split('\n')
    .filter(line => line.startsWith('        '))
    .map(line => line.slice(8))
    .filter(line => !/^(rolling:|recreate:|\d images? )/.test(line))
}

function fieldsOf(plan: Plan): readonly FieldChange[] {
  const { changes } = JSON.parse(JSON.stringify(planJson(plan, true, 'OutOfSync')))
  return changes[0].fields
}

const published = (published: number | undefined, target: number, more: Partial<Port> = {}): Port => ({
  target,
  protocol: 'tcp',
  ...(published === undefined ? {} : { published }),
  ...more,
})

const everything = alone(
  {
    user: '1000:1000',
    command: ['serve', '--name=a b'],
    env: { LEVEL: 'info', TOKEN: new Secret('word', 'mark-of-it'), KEY: new Secret('key', 'other-mark') },
    files: [
      { path: '/etc/web.conf', content: 'a', mode: 0o444 },
      { path: '/run/secrets/key', content: new Secret('key', 'other-mark'), mode: 0o400 },
    ],
    ports: [
      published(8080, 80),
      published(undefined, 9000),
      published(53, 53, { protocol: 'udp', hostIp: '::1' }),
    ],
    mounts: [
      { kind: 'host', source: '/srv/data', path: '/data', readOnly: true },
      { kind: 'host', source: '/dev/shm', path: '/shm' },
      { kind: 'volume', volume: 'prod.web.store', path: '/store', exclusive: false },
      { kind: 'ephemeral', path: '/scratch' },
      { kind: 'ephemeral', path: '/shared', name: 'work' },
      { kind: 'tmpfs', path: '/tmp' },
    ],
    privileged: true,
    pid: 'host',
    ipc: 'host',
    capAdd: ['SYS_ADMIN', 'NET_RAW'],
    devices: [
      { host: '/dev/kvm', container: '/dev/kvm', permissions: 'rwm' },
      { host: '/dev/sda', container: '/dev/disk', permissions: 'r' },
    ],
    securityOpt: ['no-new-privileges:true', 'apparmor=unconfined'],
    sysctls: { 'kernel.shmmax': '1' },
    logging: { driver: 'syslog', options: { 'syslog-address': 'tcp://logs.example.com' } },
  },
  {
    network: { name: 'host', mode: 'host' },
    volumes: [
      { name: 'prod.web.store', application: 'web', driver: 'nfs', driverOptions: { device: ':/x' } },
    ],
  },
)

describe('what is new in a plan', () => {
  it('C13 G7 says what runs before and after the main program', () => {
    const handlers = { preStart: ['/bin/migrate', '--all'], postStop: ['/bin/leave'] }
    const lines = told(planned(running(alone({ command: ['serve'], handlers }))))
    expect(lines).to.include.members([
      'before it: /bin/migrate --all',
      'command: serve',
      'after it: /bin/leave',
    ])
  })

  it('G7 G23 is shown with everything that a reviewer must see', () => {
    expect(told(planned(running(everything)))).to.deep.equal([
      'image: example.com/web:1@sha256:111111111111',
      [
        "power over the host: the host's network",
        'privileged',
        "the host's processes",
        "the host's shared memory",
        'capability SYS_ADMIN',
        'capability NET_RAW',
        'device /dev/kvm',
        'device /dev/sda as /dev/disk (r)',
        '/srv/data of the host at /data, read-only',
        '/dev/shm of the host at /shm',
        'security option apparmor=unconfined',
        'kernel parameter kernel.shmmax=1',
        'log driver syslog (syslog-address=tcp://logs.example.com)',
      ].join('; '),
      'publishes: 8080 → 80/tcp; a free port → 9000/tcp; [::1]:53 → 53/udp',
      'mounts: volume prod.web.store at /store; ephemeral volume at /scratch; ephemeral volume work at /shared; tmpfs at /tmp',
      'command: serve "--name=a b"',
      'user: 1000:1000; network: host; 3 variables, of which secret: TOKEN, KEY; 2 files, of which secret: /run/secrets/key',
      'makes volume prod.web.store of the driver nfs (device=:/x)',
    ])
  })

  it('G7 G24 has no words that pass for what is said of them', () => {
    const lines = told(
      planned(
        running(
          alone({
            user: '1000; network: none',
            env: { A: new Secret('word', 'mark') },
            mounts: [
              { kind: 'host', source: '/srv', path: '/data, read-only' },
              { kind: 'tmpfs', path: '/tmp; volume a at /b' },
            ],
          }),
        ),
      ),
    )
    expect(lines.slice(1)).to.deep.equal([
      'power over the host: /srv of the host at "/data, read-only"',
      'mounts: tmpfs at "/tmp; volume a at /b"',
      'user: "1000; network: none"; network: prod; 1 variable, of which secret: A',
    ])
  })

  it('G7 G23 counts what is left of long lists, and leaves out no mount of the host', () => {
    const of = <T>(make: (at: number) => T) => Array.from({ length: 50 }, (_, at) => make(at))
    const lines = told(
      planned(
        running(
          alone({
            env: Object.fromEntries(of(at => [`V${at}`, new Secret('word', 'mark')] as const)),
            mounts: [
              ...of(at => ({ kind: 'tmpfs', path: `/t${at}` }) as const),
              ...of(at => ({ kind: 'host', source: `/srv/${at}`, path: `/h${at}` }) as const),
            ],
          }),
        ),
      ),
    )
    const [, powers, mounts, given] = lines
    expect(powers).to.contain('/srv/49 of the host at /h49')
    expect(mounts).to.match(/; tmpfs at \/t39; and 10 more \(--verbose shows them\)$/)
    expect(given).to.match(
      /50 variables, of which secret: V0, .*, V39, and 10 more \(--verbose shows them\)$/,
    )
  })

  it('G7 is told once for all instances that differ in nothing but their ports', () => {
    const ports = (at: number) =>
      alone({ ports: [published(8000 + at, 80), published(9000 + at, 9000 + at)] })
    const plan = planned(running(...Array.from({ length: 48 }, (_, at) => ports(at))))
    expect(told(plan)).to.deep.equal([
      'image: example.com/web:1@sha256:111111111111',
      'publishes: 8000-8047 → 80/tcp; 9000-9047 → 9000-9047/tcp',
      'user: that of the image; network: prod; no variables',
    ])
  })

  it('G7 is told apart for instances that differ in more', () => {
    const [one, two] = [alone({}), alone({ privileged: true })]
    expect(told(planned(running(one, two, one)))).to.deep.equal([
      '2 instances:',
      '  image: example.com/web:1@sha256:111111111111',
      '  user: that of the image; network: prod; no variables',
      '1 instance:',
      '  image: example.com/web:1@sha256:111111111111',
      '  power over the host: privileged',
      '  user: that of the image; network: prod; no variables',
    ])
  })

  it('G7 has each container of an instance, the network with the one that has it', () => {
    const whole = instance({ init: 'setup', beside: ['side'] })
    expect(told(planned(running(whole)))).to.deep.equal([
      'sandbox:',
      '  image: example.com/sandbox:1@sha256:111111111111',
      '  user: that of the image; network: prod; no variables',
      'setup, before the others start:',
      '  image: example.com/setup:1@sha256:111111111111',
      '  user: that of the image; no variables',
      'web:',
      '  image: example.com/web:1@sha256:111111111111',
      '  user: that of the image; no variables',
      'side:',
      '  image: example.com/side:1@sha256:111111111111',
      '  user: that of the image; no variables',
    ])
  })

  it('G7 is shown, too, where nobody knows any more what ran before', () => {
    const [before, after] = [running(alone({})), running(alone({ privileged: true }))]
    expect(told(planned(after, { live: live(before) }))).to.deep.equal([
      'what ran before is not known field by field; this takes its place:',
      'image: example.com/web:1@sha256:111111111111',
      'power over the host: privileged',
      'user: that of the image; network: prod; no variables',
    ])
  })

  it('G7 is not what equals an instance that runs, or one that is compared field by field', () => {
    const [one, three] = [desired({}), desired({ replicas: 3 })]
    expect(told(planned(three, { live: live(one), applied: one }))).to.deep.equal([])
    const next = desired({ replicas: 3, tag: '2' })
    expect(told(planned(next, { live: live(one), specificationOf: madeFrom(one) }))).to.deep.equal([
      'web/image: example.com/web:1@sha256:111111111111 → example.com/web:2@sha256:222222222222',
    ])
  })

  it('G7 G16 is there field by field in JSON and with --verbose, secrets as such', () => {
    const env = { LEVEL: 'info', TOKEN: new Secret('word', 'mark-of-it'), mark: 'plain' }
    const plan = planned(running(alone({ env, labels: { 'a/mark': 'plain' }, privileged: true })))
    const fields = [
      { path: 'web/env/LEVEL', to: 'info' },
      { path: 'web/env/TOKEN', to: '(secret)' },
      { path: 'web/env/mark', to: 'plain' },
      { path: 'web/image', to: `example.com/web:1@${digest('1')}`, touches: 'image' },
      { path: 'web/labels/a/mark', to: 'plain' },
      { path: 'web/privileged', to: 'true', touches: 'host' },
      { path: 'web/restart/name', to: 'unless-stopped' },
      { path: 'web/stopGraceMs', to: '10000' },
      { path: 'web/networks', to: 'prod', touches: 'host' },
      { path: 'web/aliases', to: 'web', touches: 'host' },
    ]
    expect(fieldsOf(plan)).to.deep.equal(fields)
    expect(told(plan, true).slice(3)).to.deep.equal(
      fields.map(({ path, to }) => `${path}: ${to.replace(digest('1'), 'sha256:111111111111')}`),
    )
    expect(told({ ...plan, changes: JSON.parse(JSON.stringify(plan.changes)) }, true)).to.deep.equal(
      told(plan, true),
    )
  })
})

describe('a long difference', () => {
  const many = (value: string) =>
    Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`A${100 + at}`, value]))
  const long = `/srv/${'x'.repeat(300)}`
  const before = running(
    alone({
      env: many('1'),
      mounts: [{ kind: 'volume', volume: 'store', path: '/store', exclusive: false }],
    }),
  )
  const after = running(
    alone({
      env: many('2'.repeat(500)),
      privileged: true,
      user: '0',
      mounts: [{ kind: 'host', source: long, path: '/store' }],
    }),
  )
  const plan = planned(after, { live: live(before), specificationOf: madeFrom(before) })

  it('G7 G23 cuts off nothing that is about the host or about data', () => {
    const lines = told(plan)
    expect(lines).to.have.length(41)
    expect(lines).to.include.members([
      'web/mounts/0/kind: volume → host',
      `web/mounts/0/source: ${long}`,
      'web/mounts/0/volume: store → (not set)',
      'web/privileged: true',
      'web/user: 0',
      `web/env/A100: 1 → ${'2'.repeat(159)}…`,
    ])
    expect(lines.at(-1)).to.match(/^and \d+ more; --verbose shows them$/)
  })

  it('G7 cuts off differences of mounts last, and never those of mounts of the host', () => {
    const mounts = (word: string): Container['mounts'] => [
      { kind: 'host', source: `/srv/${word}`, path: '/zzz' },
      ...Array.from({ length: 60 }, (_, at) => ({ kind: 'tmpfs', path: `/${word}/${at}` }) as const),
    ]
    const [old, young] = ['a', 'b'].map(word =>
      running(alone({ mounts: mounts(word) ?? [], env: { A: word } })),
    )
    if (old === undefined || young === undefined) throw new Error('there are two')
    const long = planned(young, { live: live(old), specificationOf: madeFrom(old) })
    const lines = told(long)
    expect(lines).to.have.length(41)
    expect(lines).to.include('web/mounts/0/source: /srv/a → /srv/b')
    expect(lines).not.to.include('web/env/A: a → b')
    expect(lines.at(-1)).to.equal('and 22 more, 21 of them of mounts; --verbose shows them')
    expect(told(long, true)).to.include('web/env/A: a → b')
  })

  it('G7 is there whole with --verbose and in JSON', () => {
    expect(told(plan, true)).to.include(`web/env/A159: 1 → ${'2'.repeat(500)}`)
    expect(fieldsOf(plan).filter(({ path }) => path.includes('/env/'))).to.have.length(60)
  })
})

describe('a difference', () => {
  const difference = (old: Instance, young: Instance) => {
    const before = running(old)
    const plan = planned(running(young), { live: live(before), specificationOf: madeFrom(before) })
    return told(plan)
  }

  it('G7 G16 tells another secret from a variable or a label that is called mark', () => {
    const env = (mark: string) => ({ TOKEN: new Secret('a', mark), mark })
    const [old, young] = [alone({ env: env('1'), labels: { 'a/mark': '1' } }), alone({ env: env('2') })]
    expect(difference(old, young)).to.deep.equal([
      'web/env/TOKEN: (secret changed)',
      'web/env/mark: 1 → 2',
      'web/labels/a/mark: 1 → (not set)',
    ])
  })

  it('G7 G24 has no values that pass for what is said of them', () => {
    const old = alone({ env: { A: '1', B: '1', C: '1', D: '1' }, labels: { 'a: 1 → 2': '1' } })
    const young = alone({ env: { A: '(secret)', B: '2 → (not set)', C: '', D: '(not set)' } })
    expect(difference(old, young)).to.deep.equal([
      'web/env/A: 1 → "(secret)"',
      'web/env/B: 1 → "2 → (not set)"',
      'web/env/C: 1 → ""',
      'web/env/D: 1 → "(not set)"',
      '"web/labels/a: 1 → 2": 1 → (not set)',
    ])
  })

  it('G7 has the networks, and every instance that differs', () => {
    const onHost = alone({}, { network: { name: 'host', mode: 'host' } })
    expect(difference(alone({}), onHost)).to.deep.equal(['web/networks: prod → host'])
    const before = running(alone({}), alone({ user: '1' }))
    const after = running(alone({ init: true }), alone({ user: '2', init: true }))
    const plan = planned(after, { live: live(before), specificationOf: madeFrom(before) })
    expect(told(plan)).to.deep.equal(['web/init: true', 'web/user: 1 → 2'])
  })

  it('G25 takes no variable that is called image for one', () => {
    const before = running(alone({ env: { image: `a@${digest('8')}` } }))
    const after = running(alone({ env: { image: `a@${digest('9')}` } }))
    const plan = planned(after, { live: live(before), specificationOf: madeFrom(before) })
    const { before: old, after: young } = digestsOf(onlyChange(plan))
    expect([old, young]).to.deep.equal([[digest('1')], [digest('1')]])
  })

  it('G25 says of an instance that is made anew from which images it ran, and not only of those that change', () => {
    const [before, after] = ['3', '2'].map(tag => desired({ tag, beside: ['log'], inSandbox: true }))
    if (before === undefined || after === undefined) throw new Error('there are two')
    const digests = (from: DesiredState | undefined) =>
      digestsOf(
        onlyChange(
          planned(after, from === undefined ? {} : { live: live(from), specificationOf: madeFrom(from) }),
        ),
      )
    const { before: old, after: young } = digests(before)
    expect([old, young], 'that of its sandbox is the same').to.deep.equal([
      [digest('3'), digest('1')],
      [digest('2'), digest('1')],
    ])
    expect(digests(undefined).before, 'where nothing ran').to.deep.equal([])
  })
})
