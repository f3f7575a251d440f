import { expect } from 'chai'
import { forSwarm } from '../../../lib/resolve/swarm/for-swarm.ts'
import type { Container } from '../../../lib/state/application/container/container.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import type { Volume } from '../../../lib/state/application/volume.ts'
import type { LabelExpression } from '../../../lib/state/fleet/expression.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import {
  application,
  container,
  desired,
  type ServiceParts,
  service,
} from '../../support/builders/builders.ts'

const usual = { endpoint: 'vip', publish: 'ingress' } as const
const inHostMode = { endpoint: 'dnsrr', publish: 'host' } as const

/** `web` with a container of which something is special. */
function special(more: Partial<Container>): DesiredState {
  const plain = service()
  const instance = { ...plain.instances[0], containers: [{ ...container(), ...more }] } as const
  return desired(
    application('web', [{ ...plain, instances: [{ network: { name: 'prod' }, volumes: [], ...instance }] }]),
  )
}

function lacks(state: DesiredState, options: Parameters<typeof forSwarm>[1] = usual): readonly string[] {
  return forSwarm(state, options).blocked.flatMap(({ problems }) => problems.map(({ message }) => message))
}

function runs(parts: ServiceParts, options: Parameters<typeof forSwarm>[1] = usual) {
  return forSwarm(desired(parts), options).applications[0]?.services[0]?.instances.map(one => one.runs)
}

describe('what is wanted of a Swarm', () => {
  it('makes one service of all instances, which are replaced as a host would', () => {
    expect(runs({ replicas: 8 })).to.deep.equal([
      { replicas: 8, update: { parallelism: 2, order: 'start-first', monitorMs: 1_000 }, endpoint: 'vip' },
    ])
    const unavailable = { maxSurge: 0, maxUnavailable: 3 }
    expect(runs({ replicas: 8, strategy: unavailable })?.[0]?.update).to.deep.include({
      parallelism: 3,
      order: 'stop-first',
    })
  })

  it('has one on each node where the specification says so', () => {
    const state = desired(application('web', [{ ...service(), isGlobal: true }]))
    const [web] = forSwarm(state, usual).applications
    expect(web?.services[0]?.instances[0]?.runs?.replicas).to.equal('global')
  })

  it('D7 stops first what only one can have: a volume, and a port in host mode', () => {
    const all = { parallelism: 0, order: 'stop-first' } as const
    expect(runs({ strategy: { type: 'recreate' } })?.[0]?.update).to.deep.include(all)
    expect(runs({ exclusiveVolume: 'data' })?.[0]?.update).to.deep.include(all)
    expect(runs({ hostPort: 80, replicas: 6 }, inHostMode)?.[0]?.update, 'one by one').to.deep.include({
      parallelism: 1,
      order: 'stop-first',
    })
    expect(runs({ hostPort: 80 })?.[0]?.update, 'every node passes it on').to.deep.include({
      order: 'start-first',
    })
  })

  it('has no dots in the names of networks', () => {
    const [web] = forSwarm(desired({ network: 'prod.web' }), usual).applications
    expect(web?.services[0]?.instances[0]?.network.name).to.equal('prod_web')
    const [open] = forSwarm(desired({}), usual).applications
    expect(open?.services[0]?.instances[0]?.network.name).to.equal('prod__default')
  })

  it('is the same value for the same state', () => {
    const state = desired({})
    expect(forSwarm(state, usual)).to.equal(forSwarm(state, { ...usual }))
    expect(forSwarm(state, inHostMode)).not.to.equal(forSwarm(state, usual))
  })

  it('D15 blocks an application with everything that no Swarm can do, and no other', () => {
    const state = desired({ name: 'w.b', beside: ['helper'] }, { name: 'fine' })
    expect(lacks(state)).to.deep.equal([
      'w.b: w.b has no name that a Swarm allows: environment, application and service are at most 63 letters, digits, "-" and "_" together',
      'w.b: w.b has several containers in one instance, and a task of a Swarm is one container',
    ])
    expect(forSwarm(state, usual).applications.map(({ name }) => name)).to.deep.equal(['fine'])
  })

  const table: readonly (readonly [what: string, more: Partial<Container>, words: string])[] = [
    ['root', { privileged: true }, 'is privileged'],
    ['CPUs', { cpuset: '0' }, 'chooses its CPUs'],
    ['devices', { devices: [] }, 'has devices'],
    [
      'an image of the engine',
      { image: { reference: 'web:1', pin: { state: 'unverified', imageId: 'sha256:1' } } },
      'runs an image that no registry has: the nodes of a Swarm get it by its digest',
    ],
    [
      'an address',
      { ports: [{ target: 80, published: 80, protocol: 'tcp', hostIp: '127.0.0.1' }] },
      'publishes a port on one address',
    ],
    [
      'a directory below an allowed one',
      { mounts: [{ kind: 'host', source: '/srv/a', path: '/a', within: '/srv' }] },
      'mounts a directory below an allowed one, which cannot be checked on all nodes',
    ],
    [
      'an empty file',
      { files: [{ path: '/etc/x', content: '', mode: 0o444 }] },
      'has an empty file, /etc/x, which a Swarm cannot keep',
    ],
    [
      'an owner in memory',
      { mounts: [{ kind: 'tmpfs', path: '/tmp', uid: 1 }] },
      'has an in-memory directory with an owner, or from which programs run',
    ],
  ]
  for (const [what, more, words] of table)
    it(`D15 refuses ${what}`, () => {
      expect(lacks(special(more))).to.deep.equal([`web: web ${words}`])
    })

  it('E14 says nothing of a file whose secret nobody gave, because it is only checked', () => {
    const content = new Secret(undefined, '')
    expect(lacks(special({ files: [{ path: '/run/key', content, mode: 0o400 }] }))).to.deep.equal([])
    const empty = new Secret('', 'a mark')
    expect(lacks(special({ files: [{ path: '/run/key', content: empty, mode: 0o400 }] }))).to.deep.equal([
      'web: web has an empty file, /run/key, which a Swarm cannot keep',
    ])
  })

  it('has volumes made on its nodes with their driver and options, and refuses a directory of a host as one', () => {
    const { name } = { name: 'prod.web.data' }
    const wants = (more: Partial<Volume>) => {
      const mounts = [{ kind: 'volume', volume: name, path: '/data', exclusive: false }] as const
      const containers = [{ ...container(), mounts }] as const
      const volumes = [{ name, application: 'web', ...more }]
      const instance = { network: { name: 'prod' }, containers, volumes } as const
      return desired(application('web', [{ ...service(), instances: [instance] }]))
    }
    const made = (state: DesiredState) =>
      forSwarm(state, usual).applications[0]?.services[0]?.instances[0]?.containers[0].mounts
    const mount = { kind: 'volume', volume: name, path: '/data', exclusive: false }
    expect(made(wants({}))).to.deep.equal([mount])
    const options = { type: 'nfs', device: ':/data' }
    expect(made(wants({ driverOptions: options }))).to.deep.equal([
      { ...mount, made: { driver: 'local', options } },
    ])
    expect(made(wants({ driver: 'rexray' }))).to.deep.equal([{ ...mount, made: { driver: 'rexray' } }])
    expect(
      lacks(
        wants({ driverOptions: { o: 'bind' }, binds: { path: '/srv', within: '/srv', allowed: ['/srv'] } }),
      ),
    ).to.deep.equal([
      'web: web has a volume that is a directory of the host, which cannot be checked on all nodes',
    ])
  })

  it('A45 chooses nodes by their labels and their platform, and refuses what a Swarm cannot compare', () => {
    const on = (nodes: LabelExpression) => desired(application('web', [{ ...service(), nodes }]))
    const [web] = forSwarm(on({ kind: 'equal', label: 'disk', value: 'ssd' }), usual).applications
    expect(web?.services[0]?.instances[0]?.runs?.constraints).to.deep.equal(['node.labels.disk==ssd'])
    expect(lacks(on({ kind: 'present', label: 'disk' }))).to.deep.equal([
      'web: web chooses nodes by more than labels with one value each: a Swarm understands "label = value", "not" before it, and "and" between them',
    ])
    const image = { ...container().image, platform: 'linux/arm64' }
    const [there] = forSwarm(special({ image }), usual).applications
    expect(there?.services[0]?.instances[0]?.runs?.platform).to.equal('linux/arm64')
  })

  it('A45 spreads tasks over the values of labels of nodes, unless each node has one', () => {
    const spread = ['zone', 'rack']
    const spreadOf = (more: object) =>
      forSwarm(desired(application('web', [{ ...service(), spread, ...more }])), usual).applications[0]
        ?.services[0]?.instances[0]?.runs
    expect(spreadOf({})?.spread).to.deep.equal(spread)
    expect(spreadOf({ isGlobal: true })).not.to.have.property('spread')
  })

  it('D2 is the same whatever is said of ports, if it publishes none', () => {
    const inMode = (parts: ServiceParts, publish: 'ingress' | 'host') =>
      runs(parts, { endpoint: 'vip', publish })?.[0]
    expect(inMode({}, 'host')).to.deep.equal(inMode({}, 'ingress'))
    expect(inMode({ hostPort: 80 }, 'host')?.publish).to.equal('host')
    expect(inMode({ hostPort: 80 }, 'ingress')?.publish).to.equal('ingress')
  })

  it('D15 refuses ports that neither every node nor the nodes of its tasks would publish', () => {
    const mixed = { endpoint: 'dnsrr', publish: 'ingress' } as const
    expect(lacks(desired({ hostPort: 80 }), mixed)).to.deep.equal([
      'web: web publishes a port, which needs "publishMode: host" beside "endpointMode: dnsrr"',
    ])
  })

  it('D15 refuses a name that no service of a Swarm can have, and instances that differ', () => {
    expect(lacks(desired({ name: 'w'.repeat(60) }))[0]).to.include('has no name that a Swarm allows')
    expect(lacks(desired({ tags: ['1', '2'] }))).to.deep.equal([
      'web: web has instances that differ, and the tasks of a Swarm are all alike',
    ])
  })
})
