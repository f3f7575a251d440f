import { expect } from 'chai'
import type { Step } from '../../../../../lib/plan/step/step.ts'
import type { Application, Service } from '../../../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { gateOf, ingressName, type Route } from '../../../../../lib/state/application/ingress/route.ts'
import type { LiveContainer, LiveState } from '../../../../../lib/state/running/live.ts'
import { loadedName } from '../../../../../lib/state/running/loaded.ts'
import { application, changed, desired, live, service } from '../../../../support/builders/builders.ts'
import {
  applicationReleaseOf,
  courseOf,
  onlyChange,
  planOf,
  type Situation,
  told,
} from '../../../../support/builders/planning.ts'

const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')
const { alias } = gate
const gateName = 'prod.web.ingress'

/** `web` with a route, so that its instances wait behind a gate. */
function routed(parts: Parameters<typeof service>[0] = {}, more: Partial<Service> = {}): DesiredState {
  const traffic = { role: 'backend' as const, gate, routes: [] }
  return desired(application('web', [{ ...service({ name: 'web', ...parts }), traffic, ...more }]))
}

/** What runs, with these containers at their gate. */
function atGate(state: LiveState, ...names: readonly string[]): LiveState {
  return {
    ...state,
    containers: state.containers.map(one =>
      names.some(name => one.engineName.startsWith(`prod.${name}.`))
        ? { ...one, networks: [...one.networks, gateName] }
        : one,
    ),
  }
}

const route: Route = {
  application: 'web',
  service: 'web',
  host: 'a.example',
  path: '/',
  alias,
  port: 80,
  tls: 'off',
  holdMs: 5_000,
}

/** The ingress with these routes; what they load is told by the mark. */
function ingress(mark: string, routes: readonly Route[] = [route], tag = '1'): DesiredState {
  const networks = routes.length === 0 ? [] : [gate.network]
  const routing = {
    runBy: 'tallyman' as const,
    routes,
    configuration: { newer: `configuration ${mark}`, older: `configuration ${mark}` },
    mark,
    networks,
  }
  const own = service({ name: ingressName, tag, hostPort: 80 })
  return desired(application(ingressName, [{ ...own, traffic: { role: 'proxy', routing } }]))
}

/** The ingress as it runs once it has loaded the routes with that mark. */
function loaded(mark: string, tag = '1'): LiveState {
  const state = live(ingress(mark, [route], tag))
  return {
    ...state,
    containers: state.containers.map(
      (one): LiveContainer => ({
        ...one,
        engineName: loadedName(one.engineName, mark),
        loaded: mark,
        networks: [...one.networks, gateName],
      }),
    ),
  }
}

const networks = ['prod', gateName]

const only = (situation: Situation) => onlyChange(planOf(situation))

/** Stages in words, containers by instance and tag, without what they have loaded. */
function inWords(stages: readonly (readonly Step[])[], ...states: readonly LiveState[]): readonly string[] {
  return told(stages, ...states).map(words => words.replaceAll(/\.routes-[0-9a-f]{8}/g, ''))
}

const one = 'aaaaaaaa'
const two = 'bbbbbbbb'

describe('requests', () => {
  it('P12 reach a new instance only after it has passed its health gate', () => {
    const change = only({ desired: routed(), live: live() })
    expect(inWords(courseOf(change), live())).to.deep.equal([
      'create-container web.1@1',
      'start-container web.1@1',
      'await-healthy web.1@1',
      `admit web.1@1 ${gateName}`,
    ])
  })

  it('P12 are taken from an old instance before it is told to stop, once a new one has them', () => {
    const before = atGate(live(routed({ tag: '1' })), 'web')
    const change = only({ desired: routed({ tag: '2' }), live: before, networks })
    expect(inWords(courseOf(change), before)).to.deep.equal([
      'create-container web.1@2',
      'start-container web.1@2',
      'await-healthy web.1@2',
      `admit web.1@2 ${gateName}`,
      `drain web.1@1 ${gateName}`,
      'stop-container web.1@1',
      'remove-container web.1@1',
    ])
  })

  it('X4 are taken away before the gap of a Recreate, too', () => {
    const strategy = { strategy: { ...service().strategy, type: 'recreate' } } as const
    const before = atGate(live(routed({ tag: '1' })), 'web')
    const change = only({ desired: routed({ tag: '2' }, strategy), live: before, networks })
    expect(inWords(courseOf(change), before).slice(0, 4)).to.deep.equal([
      'create-container web.1@2',
      `drain web.1@1 ${gateName}`,
      'stop-container web.1@1',
      'start-container web.1@2',
    ])
  })

  it('G5 reach the old instance again when the new one fails', () => {
    const before = atGate(live(routed({ tag: '1' })), 'web')
    const { undo } = only({ desired: routed({ tag: '2' }), live: before, networks })
    expect(inWords(undo, before, live(routed({ tag: '2' })))).to.deep.equal([
      'start-container web.1@1',
      'await-healthy web.1@1',
      `admit web.1@1 ${gateName}`,
      'remove-container web.1@2',
    ])
  })

  it('G5 reach an instance again that an interrupted undo left drained', () => {
    const before = live(routed({ tag: '1' }))
    const next = routed({ tag: '2' })
    const release = applicationReleaseOf(next, 'web')
    const quarantined = new Map([['local/web/web', { release, reason: 'failed before', sinceMs: 0 }]])
    const change = only({ desired: next, live: before, networks, rules: { quarantined } })
    expect(inWords(courseOf(change), before)).to.deep.equal([
      'await-healthy web.1@1',
      `admit web.1@1 ${gateName}`,
    ])
  })

  it('are taken from what is removed', () => {
    const before = atGate(live(routed()), 'web')
    const other = desired({ name: 'other' })
    const [, removal] = planOf({ desired: other, live: before, networks }).changes
    expect(inWords(removal?.stages ?? [], before)).to.deep.equal([
      `drain web.1@1 ${gateName}`,
      'stop-container web.1@1',
    ])
  })

  it('P12 reach what is ready and has none, as after a restart of the engine', () => {
    const change = only({ desired: routed(), live: live(routed()), applied: routed(), networks })
    expect([change.cause, change.reason]).to.deep.equal(['drifted', 'ready, and gets no requests yet'])
    expect(inWords(courseOf(change), live(routed()))).to.deep.equal([
      'await-healthy web.1@1',
      `admit web.1@1 ${gateName}`,
    ])
  })

  it('P12 reach what has run for its healthy time at once: a first route starts nothing anew', () => {
    const countsBefore = (state: LiveState) =>
      only({ desired: routed(), live: state, applied: routed(), networks })
        .stages.flat()
        .flatMap(step => (step.do === 'await-healthy' ? [step.ranBefore === true] : []))
    const running = live(routed())
    expect(countsBefore(running)).to.deep.equal([true])
    const detached = { ...running, containers: running.containers.map(one => ({ ...one, networks: [] })) }
    expect(countsBefore(detached), 'it was cut off meanwhile').to.deep.equal([false])
    const stopped = changed(atGate(running, 'web'), 'web.1', { state: 'exited', exitCode: 137 })
    expect(countsBefore(stopped), 'it is started').to.deep.equal([false])
  })

  for (const health of ['unhealthy', 'starting'] as const)
    it(`P12 are taken from an instance that is ${health}, which goes on`, () => {
      const sick = changed(atGate(live(routed()), 'web'), 'web.1', { health })
      const change = only({ desired: routed(), live: sick, applied: routed(), networks })
      expect(change.reason).to.equal('gets requests, and is not ready for them')
      expect(inWords(courseOf(change), sick)).to.deep.equal([`drain web.1@1 ${gateName}`])
    })

  it('P12 reach what stood still only after it is ready again', () => {
    const killed = changed(atGate(live(routed()), 'web'), 'web.1', { state: 'exited', exitCode: 137 })
    const change = only({ desired: routed(), live: killed, applied: routed(), networks })
    expect(inWords(courseOf(change), killed)).to.deep.equal([
      `drain web.1@1 ${gateName}`,
      'start-container web.1@1',
      'await-healthy web.1@1',
      `admit web.1@1 ${gateName}`,
    ])
  })

  it('P12 are not sent to what is not ready, and nothing is to be done about that', () => {
    const sick = changed(live(routed()), 'web.1', { health: 'unhealthy' })
    expect(planOf({ desired: routed(), live: sick, applied: routed(), networks }).changes).to.deep.equal([])
  })

  it('are taken from a service whose last route is gone', () => {
    const before = atGate(live(desired({ name: 'web' })), 'web')
    const { changes } = planOf({ desired: desired({ name: 'web' }), live: before, networks })
    expect(changes.map(({ stages }) => inWords(stages, before))).to.deep.equal([
      [`drain web.1@1 ${gateName}`, `disconnect-network web.1@1 ${gateName}`],
      [`remove-network ${gateName}`],
    ])
  })

  for (const tag of ['1', '2'])
    it(`P12 are taken from it once the ingress has loaded that${tag === '1' ? '' : ', in an update, too'}`, () => {
      const running = atGate(live(desired({ name: 'web' })), 'web')
      const state = { ...running, containers: [...running.containers, ...loaded(one).containers] }
      const without = desired({ name: 'web', tag })
      const wanted = { ...without, applications: [...without.applications, ...ingress(two).applications] }
      const { changes } = planOf({ desired: wanted, live: state, networks })
      expect(changes.map(({ service, after }) => [service, ...after])).to.deep.equal([
        [ingressName],
        ['web', { key: `local/${ingressName}/${ingressName}`, must: 'end' }],
      ])
    })
})

describe('the ingress loads routes', () => {
  const other = application('other', [service({ name: 'other' })])
  const otherRoute = { ...route, application: 'other', service: 'other', alias: 'other-0badcafe' }
  const both = (...of: readonly (DesiredState | Application)[]): DesiredState => ({
    ...desired(),
    applications: of.flatMap(one => ('applications' in one ? one.applications : [one])),
  })
  const together = (...states: readonly LiveState[]): LiveState => ({
    ...live(),
    containers: states.flatMap(({ containers }) => containers),
  })
  const waits = (situation: Situation) =>
    planOf({ networks, ...situation }).changes.flatMap(({ service, after }) =>
      after.map(({ key, must }) => `${service} after ${key}, which must ${must}`),
    )
  const ingressAfterWeb = [`${ingressName} after local/web/web, which must end`]
  const withRoute = (parts: Parameters<typeof routed>[0] = {}) =>
    routed(parts, { traffic: { role: 'backend', gate, routes: [route] } })

  it('P12 once a service that runs already is admitted to its first requests', () => {
    const state = together(live(routed()), loaded(one))
    expect(waits({ desired: both(withRoute(), ingress(two)), live: state })).to.deep.equal(ingressAfterWeb)
  })

  it('P12 once a service that takes over a route of another one is admitted, be it a new one', () => {
    const wanted = both(withRoute(), ingress(two), other)
    const before = together(loaded(one), live(desired({ name: 'other' })))
    expect(waits({ desired: wanted, live: before, loaded: [otherRoute] })).to.deep.equal(ingressAfterWeb)
  })

  it('P12 without a wait for a new service whose routes no other one had before', () => {
    const wanted = both(withRoute(), ingress(two))
    for (const before of [[], [route]])
      expect(waits({ desired: wanted, live: loaded(one), loaded: before })).to.deep.equal([])
  })

  it('P12 without a wait for what receives requests already, whatever happens to it', () => {
    const state = together(atGate(live(routed()), 'web'), loaded(one))
    const wanted = both(withRoute({ tag: '2' }), ingress(two))
    expect(waits({ desired: wanted, live: state, loaded: [otherRoute] })).to.deep.equal([])
  })

  it('P12 without a wait for a service that is suspended', () => {
    const suspended = new Map([['web', { reason: 'by hand', sinceMs: 0 }]])
    const state = together(live(routed()), loaded(one))
    const wanted = both(withRoute(), ingress(two))
    expect(waits({ desired: wanted, live: state, rules: { suspended } })).to.deep.equal([])
  })

  it('P12 G11 without a wait for a service that requires one that itself leaves its gate after the load', () => {
    const requiring = application('web', withRoute().applications[0]?.services ?? [], { requires: ['other'] })
    const running = live(desired({ name: 'other' }))
    const leaving = {
      ...running,
      containers: running.containers.map(one => ({ ...one, networks: ['prod', 'prod.other.ingress'] })),
    }
    const state = together(live(routed()), leaving, loaded(one))
    expect(waits({ desired: both(requiring, other, ingress(two)), live: state })).to.deep.equal([
      `other after local/${ingressName}/${ingressName}, which must end`,
      'web after local/other/other, which must succeed',
    ])
  })
})

describe('the ingress', () => {
  it('P33 is made, joins the gates, and loads its routes last', () => {
    const change = only({ desired: ingress(one), live: live() })
    expect(inWords(courseOf(change), live())).to.deep.equal([
      'create-container tallyman-ingress.1@1',
      'start-container tallyman-ingress.1@1',
      'await-healthy tallyman-ingress.1@1',
      `connect-network tallyman-ingress.1@1 ${gateName}`,
      `load-routes tallyman-ingress.1@1 ${one}`,
    ])
    expect(change.prepare.map(step => step.do === 'create-network' && step.network.name)).to.include(gateName)
    expect(change.fields).to.deep.equal([{ path: 'routes/a.example/', to: 'web/web:80, hold 5 s' }])
  })

  it('D15 passes over a gate that cannot be made, which its application is told', () => {
    const steps = only({ desired: ingress(one), live: live() })
    expect(steps.prepare.at(-1)).to.deep.equal({ do: 'create-network', network: gate.network, ifRoom: true })
    const connect = steps.stages.flat().filter(step => step.do === 'connect-network')
    expect(connect.map(({ ifThere }) => ifThere)).to.deep.equal([true])
    const own = only({ desired: routed(), live: live() })
    expect(own.prepare.at(-1)).to.deep.equal({ do: 'create-network', network: gate.network })
  })

  it('D15 joins a gate that was left out as soon as an instance is there, and needs none before', () => {
    const state = loaded(one)
    const left = {
      ...state,
      containers: state.containers.map(one => ({ ...one, networks: ['prod'] })),
    }
    const both = { ...ingress(one), applications: [...routed().applications, ...ingress(one).applications] }
    const waiting = { ...left, containers: [...left.containers, ...live(routed()).containers] }
    const apart = { ...both, applications: ingress(one).applications }
    expect(planOf({ desired: apart, live: left, networks }).changes).to.deep.equal([])
    const there = atGate(waiting, 'web')
    const change = only({ desired: both, live: there, applied: both, networks })
    expect(inWords(courseOf(change), there)).to.deep.equal([
      `connect-network tallyman-ingress.1@1 ${gateName}`,
    ])
  })

  it('G2 is as wanted once it has', () => {
    expect(planOf({ desired: ingress(one), live: loaded(one), networks }).changes).to.deep.equal([])
  })

  it('G7 tells no routes where it has loaded them, whatever else is to be done about it', () => {
    const stopped = changed(loaded(one), `${ingressName}.1`, { state: 'exited', exitCode: 1 })
    const change = only({ desired: ingress(one), live: stopped, loaded: [], networks })
    expect([change.reason, change.fields]).to.deep.equal(['stopped (exit code 1)', []])
  })

  it('G7 loads changed routes while it runs, and the plan names them', () => {
    const moved = { ...route, port: 81 }
    const plan = planOf({ desired: ingress(two, [moved]), live: loaded(one), loaded: [route], networks })
    const [change] = plan.changes
    expect(change && inWords(courseOf(change), loaded(one))).to.deep.equal([
      `load-routes tallyman-ingress.1@1 ${two}`,
    ])
    expect([change?.cause, change?.reason, change?.downtime]).to.deep.equal([
      'diverged',
      '1 route to load',
      false,
    ])
    expect(change?.fields).to.deep.equal([
      { path: 'routes/a.example/', from: 'web/web:80, hold 5 s', to: 'web/web:81, hold 5 s' },
    ])
  })

  it('D4 an approval of some routes is none of others', () => {
    const targets = [one, two].map(
      mark => planOf({ desired: ingress(mark), live: loaded('cccccccc'), networks }).changes[0]?.target,
    )
    expect(new Set(targets).size).to.equal(2)
  })

  it('leaves a gate that no route leads through any more, before the network is removed', () => {
    const plan = planOf({ desired: ingress(two, []), live: loaded(one), networks })
    expect(plan.changes.map(({ service }) => service)).to.deep.equal([ingressName, `network ${gateName}`])
    const [change, removal] = plan.changes
    expect(change && inWords(courseOf(change), loaded(one))).to.deep.equal([
      `load-routes tallyman-ingress.1@1 ${two}`,
      `disconnect-network tallyman-ingress.1@1 ${gateName}`,
    ])
    const bears = loadedName(loaded(one).containers[0]?.engineName ?? '', two)
    expect(change?.stages.at(-1)).to.deep.equal([
      { do: 'disconnect-network', container: bears, network: gateName },
    ])
    expect(removal?.after).to.deep.equal([{ key: `local/${ingressName}/${ingressName}`, must: 'succeed' }])
  })

  it('G5 is put back with the routes it had when its own update fails', () => {
    const change = only({ desired: ingress(one, [route], '2'), live: loaded(one), networks })
    expect([change.strategy, change.downtime]).to.deep.equal(['recreate', true])
    expect(inWords(change.undo, loaded(one), loaded(one, '2'))).to.deep.equal([
      'remove-container tallyman-ingress.1@2',
      'start-container tallyman-ingress.1@1',
      'await-healthy tallyman-ingress.1@1',
    ])
  })

  it('D15 stays as it is while it is blocked, and the rollouts of applications go on behind it', () => {
    const problem = { code: 'config-invalid', message: 'a file cannot be read' } as const
    const blocked = [{ application: ingressName, problems: [problem] }] as const
    const statics = live(desired(application(ingressName, [service({ name: 'static-web' })])))
    const old = atGate(live(routed({ tag: '1' })), 'web')
    const before = {
      ...old,
      containers: [...old.containers, ...loaded(one).containers, ...statics.containers],
    }
    const there = [...networks, 'prod.gone.ingress']
    const change = only({
      desired: { ...routed({ tag: '2' }), blocked },
      live: before,
      loaded: [route],
      networks: there,
    })
    expect(inWords(courseOf(change), before)).to.deep.equal([
      'create-container web.1@2',
      'start-container web.1@2',
      'await-healthy web.1@2',
      `admit web.1@2 ${gateName}`,
      `drain web.1@1 ${gateName}`,
      'stop-container web.1@1',
      'remove-container web.1@1',
    ])
    const after = {
      ...before,
      containers: before.containers.filter(({ application }) => application !== 'web'),
    }
    const gone = planOf({ desired: { ...desired({ name: 'other' }), blocked }, live: after, networks: there })
    expect(gone.changes.map(({ service }) => service)).to.deep.equal(['other'])
  })

  it('is no target of requests itself: nothing is drained before it stops', () => {
    const change = only({ desired: ingress(one, [route], '2'), live: loaded(one), networks })
    expect(inWords(courseOf(change), loaded(one)).filter(step => step.startsWith('drain'))).to.deep.equal([])
  })
})
