import { expect } from 'chai'
import { Failure } from '../../../../../../lib/errors.ts'
import type { Change } from '../../../../../../lib/plan/change/change.ts'
import {
  type StatusInput,
  statusOfApplications,
} from '../../../../../../lib/reconcile/status/application/sync-and-health/status-of-applications.ts'
import { forSwarm } from '../../../../../../lib/resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../../../../../lib/state/application/desired.ts'
import { externalInstance } from '../../../../../../lib/state/application/ingress/external.ts'
import { gateOf, ingressName, type Route } from '../../../../../../lib/state/application/ingress/route.ts'
import type { LiveContainer, LiveState } from '../../../../../../lib/state/running/live.ts'
import {
  application,
  change,
  changed,
  container,
  desired,
  instance,
  live,
  service,
  without,
} from '../../../../../support/builders/builders.ts'
import { reached } from '../../../../ingress/parts.ts'

/** `web Synced Healthy 1/1 v1: reason` */
function told(
  desired: DesiredState,
  state: LiveState,
  changes: readonly Change[] = [],
  undecided: StatusInput['undecided'] = [],
): readonly string[] {
  return statusOfApplications({ desired, live: state, changes, undecided, troubles: [], loaded: [] }).map(
    ({ application, sync, health, version, running, wanted, reason }) =>
      `${application} ${sync} ${health} ${running}/${wanted ?? '?'} ${version}${reason === '' ? '' : `: ${reason}`}`,
  )
}

/** What the service `web` of `web` was last brought to. */
function appliedTo(target: string): NonNullable<StatusInput['applied']> {
  return new Map([['local/web/web', { target }]])
}

/** A container that was never started, if it is one of these. */
function neverStarted(all: readonly LiveContainer[], one: LiveContainer): Partial<LiveContainer> {
  return all.includes(one) ? { state: 'created' } : {}
}

/** The same with an ingress that runs, or is otherwise. */
function withIngress(state: LiveState, parts: Partial<LiveContainer> = {}): LiveState {
  const front = state.containers
    .slice(0, 1)
    .map(one => ({ ...one, application: ingressName, service: ingressName, ...parts }))
  return { ...state, containers: [...state.containers, ...front] }
}

describe('the status of an application', () => {
  const three = desired({ replicas: 3 })
  const running = live(three)

  it('tells what runs, in which version', () => {
    expect(told(three, running)).to.deep.equal(['web Synced Healthy 3/3 1'])
  })

  it("X19 tells the version of the application's own container, and never that of its sandbox", () => {
    const pod = desired({ beside: ['log'], tag: '7' })
    const stopped = changed(live(pod), 'web.1', { state: 'exited', exitCode: 1 })
    const containers = stopped.containers.map(one =>
      one.role === 'sandbox' ? { ...one, image: 'registry.example.com/sandbox:0.3' } : one,
    )
    expect(told(pod, { ...stopped, containers }, [change({ reason: 'stopped' })])).to.deep.equal([
      'web OutOfSync Degraded 0/1 7: stopped',
    ])
  })

  it('X19 tells the version by the first container of the specification, whatever the others are called', () => {
    const containers = [container({ name: 'web', tag: '5' }), container({ name: 'log', tag: '9' })] as const
    const both = { ...service(), instances: [{ ...instance(), containers }] }
    const state = desired(application('web', [service({ name: 'zoo', tag: '6' }), { ...both, name: 'api' }]))
    const pod = desired(application('web', [both]))
    const reversed = (all: LiveState) => ({ ...all, containers: all.containers.toReversed() })
    const next = [change({ reason: 'image' })]
    expect(told(pod, live(pod), next)).to.deep.equal(['web OutOfSync Healthy 1/1 5: image'])
    expect(told(pod, reversed(live(pod)), next)).to.deep.equal(['web OutOfSync Healthy 1/1 5: image'])
    expect(told(state, live(state), next)).to.deep.equal(['web OutOfSync Healthy 2/2 6: image'])
    expect(told(state, reversed(live(state)), next)).to.deep.equal(['web OutOfSync Healthy 2/2 6: image'])
  })

  it('X19 H29 tells what runs, or ran last, where a release beside it was never started', () => {
    const [before, after] = [desired({ tag: '1' }), desired({ tag: '2' })]
    const left = changed(live(after), 'web.1', { state: 'created' })
    const beside = (old: LiveState) => ({ ...old, containers: [...left.containers, ...old.containers] })
    const failed = [change({ reason: 'failed before' })]
    expect(told(after, beside(live(before)), failed)).to.deep.equal([
      'web OutOfSync Healthy 1/1 1: failed before',
    ])
    const stopped = changed(live(before), 'web.1', { state: 'exited', exitCode: 137 })
    expect(told(after, beside(stopped), failed)).to.deep.equal([
      'web OutOfSync Degraded 0/1 1: failed before',
    ])
    expect(told(after, left, failed)).to.deep.equal(['web OutOfSync Progressing 0/1 2: failed before'])
  })

  it('G13 is healthy with as many instances as its version has that runs, until something of the next one is there', () => {
    const before = desired({ tag: '1' })
    const after = desired(
      application('web', [service({ tag: '2', replicas: 2 }), service({ name: 'cache' })]),
    )
    const [fingerprint = ''] = live(before).containers.map(one => one.fingerprint)
    const found = (state: LiveState, target: string, changes = [change()], wanted = after) =>
      statusOfApplications({
        ...{ desired: wanted, live: state, changes, applied: appliedTo(target) },
        ...{ undecided: [], troubles: [], loaded: [] },
      }).map(one => `${one.sync} ${one.health} ${one.version} ${one.running}/${one.wanted}`)
    expect(found(live(before), `1×${fingerprint}`)).to.deep.equal(['OutOfSync Healthy 1 1/3'])
    expect(found(live(before), `1×${fingerprint} routes:a`)).to.deep.equal(['OutOfSync Healthy 1 1/3'])
    expect(found(live(before), `2×${fingerprint}`), 'one of two is gone').to.deep.equal([
      'OutOfSync Missing 1 1/3',
    ])
    expect(found(live(), `1×${fingerprint}`), 'all is gone').to.deep.equal(['OutOfSync Missing 2 0/3'])
    const first = live(desired({ tag: '2' })).containers
    const both = { ...live(before), containers: [...live(before).containers, ...first] }
    expect(found(both, `1×${fingerprint}`), 'its rollout was cut short').to.deep.equal([
      'OutOfSync Missing 1 2/3',
    ])
    const tried = {
      ...both,
      containers: both.containers.map(one => ({ ...one, ...neverStarted(first, one) })),
    }
    expect(found(tried, `1×${fingerprint}`), 'its first one was never started').to.deep.equal([
      'OutOfSync Healthy 1 1/3',
    ])
    const two = desired({ tag: '1', replicas: 2 })
    expect(found(live(before), `1×${fingerprint}`, [], two), 'nothing else is due').to.deep.equal([
      'Synced Missing 1 1/2',
    ])
  })

  it('G12 counts nothing that has ended beside as many instances as are wanted: a rollout replaced it', () => {
    const [before, after] = [desired({ tag: '1' }), desired({ tag: '2' })]
    const beside = (old: LiveState) => ({
      ...old,
      containers: [...live(after).containers, ...old.containers],
    })
    const next = [change({ reason: 'its rollout has begun' })]
    for (const exitCode of [0, 137])
      expect(
        told(after, beside(changed(live(before), 'web.1', { state: 'exited', exitCode })), next),
      ).to.deep.equal(['web OutOfSync Healthy 1/1 2: its rollout has begun'])
  })

  it('G12 tells of a crash also beside as many instances as are wanted, unless a rollout replaced what crashed', () => {
    const exited = { state: 'exited', exitCode: 1 } as const
    const [two, crashed] = [desired({ replicas: 2 }), changed(running, 'web.2', exited)]
    expect(told(two, crashed, [change({ reason: 'one is too many' })])).to.deep.equal([
      'web OutOfSync Degraded 2/2 1: one is too many',
    ])
    const [before, after] = [desired({ tag: '1' }), desired({ tag: '2' })]
    const failed = changed(live(after), 'web.1', exited)
    const beside = { ...failed, containers: [...live(before).containers, ...failed.containers] }
    expect(told(after, beside, [change({ reason: 'its rollout has begun' })])).to.deep.equal([
      'web OutOfSync Degraded 1/1 1: its rollout has begun',
    ])
  })

  it('G12 counts the instances of each service, so that more of one do not stand for one that is gone of another', () => {
    const both = desired(application('web', [service(), service({ name: 'api' })]))
    const of = (name: string) => live(both).containers.filter(one => one.service === name)
    const twice = (all: readonly LiveContainer[]) => [...all, ...all.map(one => ({ ...one, instance: 2 }))]
    const stopped = of('api').map(one => ({ ...one, state: 'exited', exitCode: 0 }) as const)
    for (const rest of [[], stopped])
      expect(told(both, { ...live(both), containers: [...twice(of('web')), ...rest] })).to.deep.equal([
        'web Synced Missing 2/2 1',
      ])
  })

  it('X19 tells the version of the application where it has one', () => {
    const versioned = desired(application('web', [service({ tag: '7' })], { version: '2.1.0' }))
    expect(told(versioned, live(versioned))).to.deep.equal(['web Synced Healthy 1/1 2.1.0'])
  })

  it('has health and sync on two axes', () => {
    const ill = changed(running, 'web.2', { health: 'unhealthy' })
    expect(told(three, ill)).to.deep.equal(['web Synced Degraded 3/3 1: the health check of web fails'])
    expect(told(three, running, [change({ reason: 'image' })])).to.deep.equal([
      'web OutOfSync Healthy 3/3 1: image',
    ])
  })

  it('G13 tells how often the engine started it again, although it is in sync and healthy by now', () => {
    const [status] = statusOfApplications({
      ...{ desired: three, live: changed(running, 'web.2', { restarts: 6, status: 'Up 3 seconds' }) },
      ...{ changes: [], undecided: [], troubles: [], loaded: [] },
    })
    expect(status).to.deep.include({ sync: 'Synced', health: 'Healthy', reason: '', restarts: 6 })
  })

  it('counts only what runs', () => {
    expect(told(three, changed(running, 'web.1', { state: 'exited', exitCode: 1 }))).to.deep.equal([
      'web Synced Degraded 2/3 1',
    ])
  })

  it('is missing as soon as one instance is', () => {
    expect(told(three, without(running, 'web.2'))).to.deep.equal(['web Synced Missing 2/3 1'])
    expect(told(three, live())).to.deep.equal(['web Synced Missing 0/3 1'])
  })

  it('E3 tells of a service that names nothing to run, and of what still runs of it', () => {
    const idle = { ...desired(), idle: ['web'] }
    expect(told(idle, live())).to.deep.equal(['web Synced Healthy 0/0 : names nothing to run'])
    expect(told(idle, live(desired({ replicas: 1 })))).to.deep.equal([
      'web OutOfSync Healthy 1/0 1: neither the manifest nor a deployment names it any more',
    ])
  })

  it('counts instances, not containers', () => {
    const pod = desired({ replicas: 2, beside: ['log', 'proxy'] })
    expect(told(pod, live(pod))).to.deep.equal(['web Synced Healthy 2/2 1'])
  })

  it('G13 tells who gets the requests of a route: who is at the gate, runs and is not being drained', () => {
    const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')
    const route: Route = {
      application: 'web',
      service: 'web',
      host: 'shop.example',
      path: '/api',
      alias: gate.alias,
      port: 80,
      tls: 'auto',
      holdMs: 0,
    }
    const away = { ...route, path: '/old', redirect: 'https://other.example' }
    const routed = desired(
      application('web', [
        { ...service({ replicas: 4 }), traffic: { role: 'backend', gate, routes: [route, away] } },
      ]),
    )
    const networks = ['prod', gate.network.name]
    const seen = [
      ['web.1', { networks }],
      ['web.2', { networks, isDraining: true }],
      ['web.3', { networks, state: 'exited' }],
    ] as const
    const [, status] = statusOfApplications({
      desired: routed,
      live: withIngress(seen.reduce((state, [name, parts]) => changed(state, name, parts), live(routed))),
      changes: [],
      undecided: [],
      troubles: [],
      loaded: [],
    })
    expect(status?.routes).to.deep.equal([
      { url: 'https://shop.example/api', service: 'web', admitted: 1, wanted: 4 },
      { url: 'https://shop.example/old', service: 'web', redirect: 'https://other.example' },
    ])
  })

  it('G13 is not healthy while it is blocked and nothing is there of a service that was applied', () => {
    const there = live(desired(application('shop', [service({ name: 'side' })])))
    const blocked = [
      { application: 'shop', problems: [new Failure('secret-missing', 'there is no db')] },
    ] as const
    const told = (...services: readonly string[]) => {
      const applied = new Map(services.map(name => [`local/shop/${name}`, { target: '' }]))
      const nothing = { changes: [], undecided: [], troubles: [], loaded: [] }
      const [status] = statusOfApplications({
        ...{ desired: { ...desired(), blocked }, live: there, applied, ...nothing },
      })
      return [status?.health, status?.reason]
    }
    expect(told('side')).to.deep.equal(['Healthy', 'there is no db'])
    expect(told('side', 'web')).to.deep.equal(['Missing', 'there is no db; nothing is there of web'])
  })

  it('G13 tells on a Swarm how many tasks of a service get the requests of a route', () => {
    const plain = reached('web', {})
    const services = plain.services.map(one => ({ ...one, instances: service({ replicas: 4 }).instances }))
    const routed = forSwarm(desired({ ...plain, services }), { endpoint: 'dnsrr', publish: 'host' })
    const networks = ['prod__default', 'prod__gate_web']
    const runs = { mark: {}, replicas: 4, wanted: 4, running: 3, nodes: [] }
    const state = live(routed)
    const admitted = (live: LiveState) =>
      statusOfApplications({
        desired: routed,
        live,
        changes: [],
        undecided: [],
        troubles: [],
        loaded: [],
      }).find(one => one.application === 'web')?.routes?.[0]
    const there = { ...state, containers: state.containers.map(one => ({ ...one, networks, runs })) }
    expect(admitted(withIngress(there, { runs }))).to.deep.include({ admitted: 3, wanted: 4 })
    expect(admitted(there), 'it has no ingress').to.deep.include({ admitted: 0, wanted: 4 })
    const none = withIngress(there, { runs: { ...runs, running: 0 } })
    expect(admitted(none), 'no task of it runs').to.deep.include({ admitted: 0, wanted: 4 })
  })

  it('G13 tells that nobody gets the requests of a route while the ingress does not run', () => {
    const routed = desired(reached('web', {}))
    const networks = ['prod', gateOf('prod', 'web', 'web', '10.201.0.0/16').network.name]
    const web = live(routed)
    const there = { ...web, containers: web.containers.map(one => ({ ...one, networks })) }
    const admitted = (live: LiveState) =>
      statusOfApplications({
        desired: routed,
        live,
        changes: [],
        undecided: [],
        troubles: [],
        loaded: [],
      }).flatMap(one => (one.routes ?? []).map(route => ('admitted' in route ? route.admitted : undefined)))
    expect(admitted(withIngress(there))).to.deep.equal([1])
    expect(admitted(withIngress(there, { state: 'exited' }))).to.deep.equal([0])
    expect(admitted(there)).to.deep.equal([0])
  })

  it('G13 P33 tells of a route that the ingress has not loaded as it is wanted that nobody gets its requests', () => {
    const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')
    const wanted: Route = {
      ...{ application: 'web', service: 'web', host: 'shop.example', path: '/', alias: gate.alias },
      ...{ port: 80, tls: 'off', holdMs: 0 },
    }
    const away = { ...wanted, path: '/old', redirect: 'https://other.example' }
    const routed = desired(
      application('web', [{ ...service({}), traffic: { role: 'backend', gate, routes: [wanted, away] } }]),
    )
    const there = changed(live(routed), 'web.1', { networks: ['prod', gate.network.name] })
    const told = (loaded: readonly Route[], front: Partial<LiveContainer> = {}) => {
      const live = withIngress(there, front)
      const about = { desired: routed, live, changes: [], undecided: [], troubles: [], loaded }
      const status = statusOfApplications(about).find(({ application }) => application === 'web')
      return status?.routes?.map(
        route => `${'admitted' in route ? route.admitted : 'away'}${route.waitsForIngress ? ' waits' : ''}`,
      )
    }
    expect(told([wanted, away])).to.deep.equal(['1', 'away'])
    expect(told([away])).to.deep.equal(['0 waits', 'away'])
    expect(told([wanted, { ...away, redirect: 'https://old.example' }])).to.deep.equal(['1', 'away waits'])
    const others: readonly Partial<Route>[] = [
      { service: 'api' },
      { application: 'shop' },
      { host: 'old.example' },
      { path: '/old' },
      { port: 81 },
      { tls: 'auto' },
      { redirect: 'https://other.example' },
    ]
    for (const other of others)
      expect(told([{ ...wanted, ...other }])?.[0], JSON.stringify(other)).to.equal('0 waits')
    const headers = { request: { 'X-Shop': 'new' } }
    expect(told([{ ...wanted, headers, maxBodyBytes: 5, holdMs: 3 }])?.[0], 'it goes there').to.equal('1')
    expect(told([away], { state: 'exited' }), 'it waits for more than its routes').to.deep.equal([
      '0',
      'away',
    ])
    expect(told([]), 'nobody knows what it has loaded').to.deep.equal(['1', 'away'])
  })

  it('G13 D15 tells of one that is blocked, or no longer wanted, which routes it keeps, who gets their requests, and where its tasks run', () => {
    const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')
    const route: Route = {
      ...{ application: 'web', service: 'web', host: 'shop.example', path: '/', alias: gate.alias },
      ...{ port: 80, tls: 'off', holdMs: 0 },
    }
    const away = { ...route, path: '/old', redirect: 'https://other.example' }
    const loaded = [route, { ...route, application: 'api', host: 'api.example' }, away]
    const wanted = desired({ replicas: 2 })
    const parts = {
      networks: ['prod', gate.network.name],
      runs: { mark: {}, replicas: 1, wanted: 1, running: 1, nodes: [{ node: 'n1', id: 'a', running: 1 }] },
    }
    const there = changed(live(wanted), 'web.1', parts)
    const problem = { code: 'route-taken', message: 'shop.example is claimed twice' } as const
    const told = (parts: Partial<DesiredState>, live: LiveState = withIngress(there)) => {
      const about = { ...wanted, applications: [], ...parts }
      const [status] = statusOfApplications({
        ...{ desired: about, live, loaded, changes: [], undecided: [], troubles: [] },
      }).filter(({ application }) => application === 'web')
      return [status?.routes, status?.tasks]
    }
    const routes = [
      { url: 'http://shop.example/', service: 'web', admitted: 1 },
      { url: 'http://shop.example/old', service: 'web', redirect: 'https://other.example' },
    ]
    const tasks = [{ service: 'web', node: 'n1', id: 'a', running: 1 }]
    const blocked = [{ application: 'web', problems: [problem] as const }]
    expect(told({ blocked })).to.deep.equal([routes, tasks])
    expect(told({}), 'no longer wanted').to.deep.equal([routes, tasks])
    const [first, ...others] = routes
    expect(told({ blocked }, there), 'there is no ingress').to.deep.equal([
      [{ ...first, admitted: 0 }, ...others],
      tasks,
    ])
  })

  it('G13 A33 counts on a Swarm the tasks of each service by itself, where one is to run on each node', () => {
    const counted = (...services: readonly (readonly [name: string, wanted: number | 'global'])[]) => {
      const parts = services.map(([name, wanted]) =>
        wanted === 'global'
          ? { ...service({ name }), isGlobal: true as const }
          : service({ name, replicas: wanted }),
      )
      const [first, ...others] = parts
      const state = first && desired(application('web', [first, ...others]))
      if (state === undefined) throw new Error('no services')
      const shaped = forSwarm(state, { endpoint: 'vip', publish: 'ingress' })
      return { shaped, at: live(shaped) }
    }
    const onNodes = (nodes: number, { at, shaped }: ReturnType<typeof counted>) =>
      told(shaped, {
        ...at,
        containers: at.containers.map(one => {
          const asked = shaped.applications[0]?.services.find(({ name }) => name === one.service)
          const replicas = asked?.instances[0]?.runs?.replicas ?? 1
          const wanted = replicas === 'global' ? nodes : replicas
          return { ...one, runs: { mark: {}, replicas, wanted, running: wanted } }
        }),
      })
    expect(onNodes(2, counted(['a', 'global'], ['b', 1]))).to.deep.equal(['web Synced Healthy 3/3 1'])
    expect(onNodes(2, counted(['a', 'global'], ['b', 'global']))).to.deep.equal(['web Synced Healthy 4/4 1'])
    expect(onNodes(3, counted(['a', 'global'], ['b', 2]))).to.deep.equal(['web Synced Healthy 5/5 1'])
    const { shaped } = counted(['a', 'global'], ['b', 2])
    expect(told(shaped, live()), 'only the Swarm knows how many there should be').to.deep.equal([
      'web Synced Missing 0/? 1',
    ])
  })

  it("G13 tells the version of the operator's own ingress, which nobody wants to be another", () => {
    const external = {
      ...service({ name: ingressName }),
      instances: [externalInstance()],
      traffic: {
        role: 'proxy',
        routing: {
          runBy: 'operator',
          routes: [],
          configuration: { newer: '', older: '' },
          mark: '',
          networks: [],
        },
      },
    } as const
    const front = running.containers
      .slice(0, 1)
      .map(one => ({ ...one, application: ingressName, service: ingressName, image: 'front:7' }))
    const [status] = statusOfApplications({
      desired: desired(application(ingressName, [external])),
      live: { ...running, containers: front },
      changes: [],
      undecided: [],
      troubles: [],
      loaded: [],
    })
    expect([status?.version, status?.wantedVersion, status?.running, status?.wanted]).to.deep.equal([
      '7',
      undefined,
      1,
      1,
    ])
  })

  it('G13 says why it is held, and since when', () => {
    const held = { code: 'suspended', reason: 'Ann looks into it', sinceMs: 1_000 } as const
    const [status] = statusOfApplications({
      desired: three,
      live: running,
      changes: [change({ held })],
      undecided: [],
      troubles: [],
      loaded: [],
    })
    expect([status?.reason, status?.since]).to.deep.equal(['Ann looks into it', '1970-01-01T00:00:01.000Z'])
  })

  it('D5 is unknown while nobody could tell its image', () => {
    const undecided = [{ application: 'web', reason: 'the registry does not answer' }]
    expect(told(three, running, [], undecided)).to.deep.equal([
      'web Unknown Healthy 3/3 1: the registry does not answer',
    ])
  })

  it('D15 is unknown while it is blocked, and what runs is told', () => {
    const blocked: DesiredState = {
      ...desired({ name: 'api' }),
      blocked: [{ application: 'web', problems: [{ code: 'image-not-found', message: 'no such image' }] }],
    }
    expect(
      told(blocked, {
        ...running,
        containers: [...running.containers, ...live(desired({ name: 'api' })).containers],
      }),
    ).to.deep.equal(['api Synced Healthy 1/1 1', 'web Unknown Healthy 3/? 1: no such image'])
  })

  it('D15 C53 is in sync of the metadata service while only pods that are blocked need it', () => {
    const service = 'tallyman-metadata'
    const nothing = { ...desired(), applications: [] }
    const there = live(desired({ name: service }))
    expect(
      told(
        { ...nothing, blocked: [{ application: 'web', problems: [{ code: 'pod-invalid', message: 'no' }] }] },
        there,
      ),
    ).to.deep.equal([
      `${service} Synced Healthy 1/1 1: stays for the pods that are blocked`,
      'web Unknown Missing 0/? : no',
    ])
  })

  it('D3 tells of what is no longer in the manifest as long as it runs', () => {
    const both = live(three, desired({ name: 'old' }))
    expect(told(three, both)).to.deep.equal([
      'old OutOfSync Healthy 1/0 1: neither the manifest nor a deployment names it any more',
      'web Synced Healthy 3/3 1',
    ])
  })
})
