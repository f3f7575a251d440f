import { expect } from 'chai'
import { ingressApplication } from '../../../lib/ingress/application.ts'
import { forSwarm } from '../../../lib/resolve/swarm/for-swarm.ts'
import type { Application } from '../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import type { IngressSettings } from '../../../lib/state/application/ingress/ingress-settings.ts'
import type { Route } from '../../../lib/state/application/ingress/route.ts'
import { backendOf, gatesOf } from '../../../lib/state/application/ingress/traffic.ts'
import type { SwarmIngress, SwarmOptions } from '../../../lib/state/application/swarm/swarm-service.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { reveal } from '../../../lib/state/secret/text.ts'
import { warningsOnSites } from '../../../lib/validate/on-sites.ts'
import { container, desired } from '../../support/builders/builders.ts'
import { reached, settings, statics } from '../ingress/parts.ts'

const image = { reference: 'example.com/caddy:2', pin: container().image.pin }
const onHosts = { endpoint: 'vip', publish: 'host' } as const

/** What a Swarm can have of this with its ingress. */
function on(
  app: Application,
  ingress: SwarmIngress = {},
  parts: Partial<IngressSettings> = {},
  more: Partial<SwarmOptions> = {},
): DesiredState {
  const own = settings({ image, ...parts })
  const made = ingressApplication('prod', [app], own)
  if (made === undefined) throw new Error('it has routes')
  return forSwarm({ ...desired(app, made), ingress: own }, { ...onHosts, ...more, ingress })
}

function lacks(
  route: Partial<Route>,
  ...more: [SwarmIngress?, Partial<IngressSettings>?, Partial<SwarmOptions>?]
): readonly string[] {
  const { blocked } = on(reached('shop', route), ...more)
  return blocked.flatMap(({ problems }) => problems.map(({ message }) => message))
}

function ingressIn({ applications }: DesiredState) {
  const instance = applications.find(({ name }) => name === 'tallyman-ingress')?.services[0]?.instances[0]
  if (instance === undefined) throw new Error('there is an ingress')
  return instance
}

const chain = { chain: 'chain', key: new Secret('key', 'mark'), names: ['shop.example.com'] }
const storage = { driver: 'local', options: { type: 'nfs', device: ':/certificates' } }

describe('the ingress of a Swarm', () => {
  it('P12 runs on each node, on all gates, and starts with its routes, which are a secret', () => {
    const state = on(reached('shop', {}))
    const { runs, containers, attachments, volumes } = ingressIn(state)
    expect(runs).to.deep.include({ replicas: 'global', publish: 'host' })
    expect(runs?.update, 'only one of a node can have its ports').to.deep.include({
      parallelism: 1,
      order: 'stop-first',
    })
    expect(attachments?.map(({ name }) => name)).to.deep.equal(['prod__gate_shop'])
    const [{ files = [], mounts, command }] = containers
    expect(files.map(({ path }) => path)).to.deep.equal([
      '/etc/caddy/routes-newer.json',
      '/etc/caddy/routes-older.json',
    ])
    expect(files.every(({ content }) => content instanceof Secret)).to.equal(true)
    expect(command?.[0]).to.include('exec caddy run --config /etc/caddy/routes-older.json ;;')
    expect([mounts, volumes], 'another node would not have what it writes').to.deep.equal([undefined, []])
  })

  it('P12 reaches the tasks of a service at their own addresses, under a name that only tasks that are ready have', () => {
    const { applications } = on(reached('shop', {}))
    const [shop] = applications
    const service = shop?.services[0]
    const alias = service && backendOf(service)?.gate.alias
    expect(service?.instances[0]?.runs).to.deep.include({
      endpoint: 'dnsrr',
      gate: { network: 'prod__gate_shop', alias },
    })
    expect(gatesOf(service?.traffic)).to.deep.equal([
      { name: 'prod__gate_shop', application: 'shop', mode: 'internal' },
    ])
  })

  it('P12 is replaced without a gap where every node passes its ports on', () => {
    const { runs } = ingressIn(on(reached('shop', {}), {}, {}, { publish: 'ingress' }))
    expect(runs?.update).to.deep.include({ parallelism: 1, order: 'start-first' })
  })

  it('P12 goes on for a while after it was told to stop, if load balancers ask for its health', () => {
    const of = (parts: Partial<IngressSettings>) => {
      const [{ files = [], stopGraceMs }] = ingressIn(on(reached('shop', {}), {}, parts)).containers
      const read = JSON.parse(reveal(files[0]?.content ?? ''))
      return { delay: read.apps.http.shutdown_delay, stopGraceMs }
    }
    expect(of({})).to.deep.equal({ delay: undefined, stopGraceMs: 10_000 })
    const health = { port: 8080, addresses: [] }
    expect(of({ health })).to.deep.equal({ delay: '15000ms', stopGraceMs: 25_000 })
  })

  it('P33 keeps its certificates on its only node, or in a volume that all nodes have', () => {
    const shop = reached('shop', { tls: 'auto' })
    const pinned = ingressIn(on(shop, { constraints: ['node.id==a1'], isPinned: true }))
    expect(pinned.runs).to.deep.include({ replicas: 1, constraints: ['node.id==a1'] })
    const mount = { kind: 'volume', volume: 'prod.tallyman-ingress.data', path: '/data', exclusive: false }
    expect(pinned.containers[0].mounts).to.deep.equal([mount])
    const shared = ingressIn(on(shop, { storage }))
    expect(shared.runs?.replicas).to.equal('global')
    expect(shared.containers[0].mounts).to.deep.equal([{ ...mount, made: storage }])
  })

  it('D15 P33 refuses a route whose certificate it would lose, but not one with a certificate of the operator', () => {
    const words =
      'shop: shop needs a certificate of shop.example.com that the ingress would lose on another node: "ingress" of the site gives it neither a "node" nor a "storage" of all nodes'
    expect(lacks({ tls: 'auto' })).to.deep.equal([words])
    expect(lacks({ tls: 'internal' }, {}, { certificates: [chain] })).to.deep.equal([words])
    expect(lacks({ tls: 'auto' }, {}, { certificates: [{ ...chain, names: ['x.org'] }] })).to.deep.equal([
      words,
    ])
    expect(lacks({ tls: 'auto' }, {}, { certificates: [chain] })).to.deep.equal([])
    expect(lacks({ tls: 'auto' }, { storage })).to.deep.equal([])
    expect(lacks({ tls: 'off' })).to.deep.equal([])
  })

  it('D15 P33 warns of it before the files of the operator are read, unless one of them may be its certificate', () => {
    const shop = desired(reached('shop', { tls: 'auto' }))
    const blockedFor = (ingress: SwarmIngress) =>
      warningsOnSites(shop, new Map([['cluster', { ...onHosts, ingress }]])).length
    expect(blockedFor({})).to.equal(1)
    expect(blockedFor({ hasCertificates: true })).to.equal(0)
  })

  it('D15 P31 refuses static files that each node has of its own', () => {
    const own = statics('shop')
    const name = own.volumes[0]?.name
    expect(lacks({ statics: own })).to.deep.equal([
      `shop: shop has static files in the volume ${name}, of which each node has one of its own: declare it under "volumes" with a driver or "driver_opts" of a share`,
    ])
    for (const driverOptions of [{ type: 'tmpfs', device: 'tmpfs' }, { type: 'ramfs' }, { o: 'size=1m' }]) {
      const volumes = own.volumes.map(volume => ({ ...volume, driverOptions }))
      expect(lacks({ statics: { ...own, volumes } }), JSON.stringify(driverOptions)).to.have.lengthOf(1)
    }
    const volumes = own.volumes.map(volume => ({ ...volume, driverOptions: { type: 'nfs' } }))
    const state = on(reached('shop', { statics: { ...own, volumes } }))
    const names = state.applications.flatMap(({ services }) => services.map(({ name }) => name))
    expect(names).to.deep.equal(['shop', 'tallyman-ingress', 'static-shop'])
  })

  it('D15 refuses routes where the operator runs the ingress, and a port of the same tasks at one address for all', () => {
    expect(lacks({}, { isExternal: true })).to.deep.equal([
      'shop: shop has routes, and an ingress of the operator has to be on a host',
    ])
    const shop = reached('shop', {})
    const [first] = shop.services
    if (first === undefined) throw new Error('there is one')
    const ports = [{ target: 80, published: 8080, protocol: 'tcp' }] as const
    const containers = [{ ...container({ name: 'shop' }), ports }] as const
    const instances = first.instances.map(one => ({ ...one, containers }))
    const state = on({ ...shop, services: [{ ...first, instances }] }, {}, {}, { publish: 'ingress' })
    expect(state.blocked.map(({ application }) => application)).to.deep.equal(['shop'])
  })

  it('D15 refuses an ingress that listens on single addresses, as a Swarm publishes ports on all', () => {
    expect(lacks({}, {}, { http: { port: 80, addresses: ['10.0.0.1'] } })).to.deep.equal([
      'tallyman-ingress: tallyman-ingress publishes a port on one address',
    ])
  })
})
