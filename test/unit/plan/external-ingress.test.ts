import { expect } from 'chai'
import type { Service } from '../../../lib/state/application/application.ts'
import type { DesiredState } from '../../../lib/state/application/desired.ts'
import { externalFingerprint, externalInstance } from '../../../lib/state/application/ingress/external.ts'
import { gateOf, ingressName, type Route } from '../../../lib/state/application/ingress/route.ts'
import type { LiveContainer, LiveState } from '../../../lib/state/running/live.ts'
import { application, desired, live, service } from '../../support/builders/builders.ts'
import { courseOf, onlyChange, planOf, told } from '../../support/builders/planning.ts'

const gate = gateOf('prod', 'web', 'web', '10.201.0.0/16')
const route: Route = {
  application: 'web',
  service: 'web',
  host: 'a.example',
  path: '/',
  alias: gate.alias,
  port: 80,
  tls: 'off',
  holdMs: 5_000,
}

/** What the operator's Caddy is to have loaded. */
function wanted(mark: string, routes: readonly Route[] = [route]): DesiredState {
  const own: Service = {
    name: ingressName,
    instances: [externalInstance()],
    strategy: service().strategy,
    traffic: {
      role: 'proxy',
      routing: {
        runBy: 'operator',
        routes,
        configuration: { newer: mark, older: mark },
        mark,
        networks: routes.length === 0 ? [] : [gate.network],
      },
    },
  }
  return desired(application(ingressName, [own]))
}

/** The operator's Caddy, on these networks besides its own, and what it has loaded. */
function front(networks: readonly string[] = [], loaded?: string): LiveContainer {
  return {
    id: 'f'.repeat(64),
    engineName: 'front',
    state: 'running',
    health: 'none',
    status: 'Up 5 minutes',
    networks: ['bridge', ...networks],
    ...(loaded === undefined ? {} : { loaded }),
    isExternal: true,
    application: ingressName,
    service: ingressName,
    instance: 1,
    container: ingressName,
    role: 'app',
    fingerprint: externalFingerprint('prod'),
    image: 'caddy:2',
    digest: '',
    commit: '',
  }
}

function running(...containers: readonly LiveContainer[]): LiveState {
  return { ...live(), containers }
}

const one = 'aaaaaaaa'
const two = 'bbbbbbbb'

describe("the operator's own ingress", () => {
  it('P33 joins the gates and is given the routes, under its own name', () => {
    const before = running(front())
    const change = onlyChange(planOf({ desired: wanted(one), live: before, networks: [gate.network.name] }))
    expect(told(courseOf(change), before)).to.deep.equal([
      'connect-network front prod.web.ingress',
      `load-routes front ${one}`,
    ])
    expect(change.lines).to.deep.equal([{ sign: '~', name: `${ingressName}.1`, reason: '1 route to load' }])
    expect([change.undo, change.downtime]).to.deep.equal([[], false])
  })

  it('G2 is as wanted once it has them, whatever else it is', () => {
    const { changes } = planOf({
      desired: wanted(one),
      live: running({ ...front([gate.network.name], one), image: 'front:7', health: 'unhealthy' }),
      networks: [gate.network.name],
    })
    expect(changes).to.deep.equal([])
  })

  it('P33 is given them again when it was started again without', () => {
    const before = running(front([gate.network.name], undefined))
    const change = onlyChange(planOf({ desired: wanted(one), live: before, networks: [gate.network.name] }))
    expect(told(courseOf(change), before)).to.deep.equal([`load-routes front ${one}`])
  })

  it('P33 forgets the last route, and leaves its gate before that is removed', () => {
    const before = running(front([gate.network.name], one))
    const { changes } = planOf({ desired: wanted(two, []), live: before, networks: [gate.network.name] })
    expect(changes.map(change => told(courseOf(change), before))).to.deep.equal([
      [`load-routes front ${two}`, 'disconnect-network front prod.web.ingress'],
      ['remove-network prod.web.ingress'],
    ])
  })

  it('A26 P33 forgets the last route once the last application has left its site, and then its gate is removed', () => {
    const web = desired(application('web', [service({ name: 'web', network: gate.network.name })]))
    const before = running(front([gate.network.name], one), ...live(web).containers)
    const leaving = { ...wanted(two, []), elsewhere: ['web'], isWantedElsewhere: true } as const
    const { changes } = planOf({ desired: leaving, live: before, networks: [gate.network.name] })
    expect(changes.map(({ service, after }) => [service, ...after.map(({ key }) => key)])).to.deep.equal([
      ['web'],
      [ingressName, 'local/web/web'],
      [`network ${gate.network.name}`, `local/${ingressName}/${ingressName}`, 'local/web/web'],
    ])
  })

  it('P33 is waited for while none runs, and never made', () => {
    const change = onlyChange(
      planOf({ desired: wanted(one), live: running(), networks: [gate.network.name] }),
    )
    expect(change.held).to.deep.equal({
      code: 'ingress-unreachable',
      reason: 'no container with the label tallyman.ingress=prod runs',
    })
    const { target, release, held, ...shown } = change
    expect([target, release].map(text => text.length > 0)).to.deep.equal([true, true])
    expect(shown).to.deep.equal({
      site: 'local',
      application: ingressName,
      service: ingressName,
      action: 'start',
      cause: 'missing',
      reason: 'does not run',
      instances: 1,
      lines: [{ sign: '~', name: ingressName, reason: 'does not run' }],
      fields: [],
      strategy: 'none',
      strategyReason: '',
      downtime: false,
      prepare: [],
      jobs: [],
      stages: [],
      finish: [],
      undo: [],
      after: [],
    })
  })

  it('G10 is not removed when nothing is declared any more', () => {
    expect(planOf({ desired: desired(), live: running(front()) }).changes).to.deep.equal([])
    const other = desired(application('web', [service({ name: 'web' })]))
    const { changes } = planOf({
      desired: other,
      live: running(front(), ...live(other).containers),
      networks: ['prod'],
    })
    expect(changes).to.deep.equal([])
  })

  it('P33 takes the place of ours, which is removed once it has the routes', () => {
    const ours = desired(application(ingressName, [service({ name: ingressName, hostPort: 80 })]))
    const before = running(front(), ...live(ours).containers)
    const { changes } = planOf({ desired: wanted(one), live: before, networks: ['prod', gate.network.name] })
    const change = changes.find(({ service }) => service === ingressName)
    expect(change && told(courseOf(change), before)).to.deep.equal([
      'connect-network front prod.web.ingress',
      `load-routes front ${one}`,
      `stop-container ${ingressName}.1@1`,
      `remove-container ${ingressName}.1@1`,
    ])
    expect(told(change?.undo ?? [], before).filter(words => words.includes('front'))).to.deep.equal([])
  })
})
