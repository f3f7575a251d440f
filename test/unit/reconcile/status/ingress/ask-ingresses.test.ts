import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { loadConfig } from '../../../../../lib/config.ts'
import type { IngressReport } from '../../../../../lib/engine.ts'
import { Failure } from '../../../../../lib/errors.ts'
import { createPools, limitsOfPools } from '../../../../../lib/reconcile/concurrency/pools.ts'
import { createMemory } from '../../../../../lib/reconcile/memory.ts'
import type { ApplicationStatus } from '../../../../../lib/reconcile/status/application/application-status.ts'
import { askIngresses } from '../../../../../lib/reconcile/status/ingress/ask-ingresses.ts'
import { ingressDocument } from '../../../../../lib/reconcile/status/status-document.ts'
import { gateOf, ingressName, type Route } from '../../../../../lib/state/application/ingress/route.ts'
import { sleep } from '../../../../../lib/wait/timer.ts'
import { application, desired, service } from '../../../../support/builders/builders.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { inPassingTime } from '../../../../support/time/passing-time.ts'

const pem = readFileSync(new URL('../../../../../fixtures/ingress/half-day.pem', import.meta.url), 'utf8')
const report: IngressReport = { isDraining: true, obtained: [{ isInternal: true, pem }], metrics: '' }

const route: Route = {
  application: 'web',
  service: 'web',
  host: 'own.example.com',
  path: '/',
  alias: 'web',
  port: 80,
  tls: 'auto',
  holdMs: 0,
}

/** An ingress on this site, as the last pass saw it. */
function seen(site: string, running = 1): ApplicationStatus {
  return {
    site,
    application: ingressName,
    sync: 'Synced',
    health: 'Healthy',
    version: '2',
    running,
    commit: '',
    reason: '',
  }
}

const still = {
  nowMs: () => 0,
  steadyMs: () => 0,
  pacing: { tell: async () => undefined },
  pools: createPools(),
}

/** Sites that answer so, and how often each was asked. */
function sites(answers: Readonly<Record<string, IngressReport | Failure>>) {
  const asked: string[] = []
  const engines = Object.entries(answers).map(([site, answer]) => ({
    ...memoryEngine({ site }),
    async ingress() {
      asked.push(site)
      if (answer instanceof Failure) throw answer
      return answer
    },
  }))
  const memory = createMemory()
  return { asked, engines, memory, config: {}, desired: desired({}) }
}

describe('asking the ingresses', () => {
  it('G13 asks those that run, and says of each what it says or why that is not known', async () => {
    const silent = new Failure('ingress-unreachable', 'two: no answer')
    const { asked, desired, ...known } = sites({ one: report, two: silent, three: report, four: report })
    const web = { ...seen('four'), application: 'web' }
    const status = [seen('one'), seen('two'), seen('three', 0), web]
    const answers = await askIngresses({ ...known, ...still }, { desired, status })
    expect(answers).to.deep.equal([
      {
        site: 'one',
        isDraining: true,
        certificates: [],
        figures: { requests: [], errors: [], durations: [] },
      },
      { site: 'two', failure: silent },
    ])
    expect(asked).to.deep.equal(['one', 'two'])
  })

  it('G17 asks no more at a time than may be asked', async () => {
    const { engines, desired, ...known } = sites(
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, report])),
    )
    let [under, most] = [0, 0]
    const counting = engines.map(engine => ({
      ...engine,
      async ingress() {
        under += 1
        most = Math.max(most, under)
        await setImmediate()
        under -= 1
        return engine.ingress()
      },
    }))
    const pools = createPools({ ...limitsOfPools, ask: { ...limitsOfPools.ask, most: 3 } })
    const status = engines.map(({ site }) => seen(site))
    const answers = await askIngresses({ ...known, ...still, pools, engines: counting }, { desired, status })
    expect([answers.length, most]).to.deep.equal([10, 3])
  })

  it('G13 G17 calls none of a thousand silent that answer soon, however many have to wait for their turn', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `s${at}`)
    const { engines, desired, ...known } = sites(Object.fromEntries(names.map(name => [name, report])))
    const slow = engines.map(engine => ({
      ...engine,
      async ingress() {
        await sleep(100)
        return report
      },
    }))
    const { end, passedMs } = await inPassingTime(
      () =>
        askIngresses(
          { ...known, ...still, engines: slow },
          { desired, status: names.map(name => seen(name)) },
        ),
      20,
    )
    expect(end.filter(answer => 'failure' in answer)).to.deep.equal([])
    expect(passedMs).to.be.below(5_000)
  })

  it('G13 P12 says what it can of one that does not tell its metrics, and why it does not', async () => {
    const metrics = new Failure('ingress-unreachable', 'one: no answer in time')
    const { desired, ...known } = sites({ one: { ...report, metrics } })
    const answers = await askIngresses({ ...known, ...still }, { desired, status: [seen('one')] })
    expect(answers).to.deep.equal([{ site: 'one', isDraining: true, certificates: [], figures: metrics }])
    expect(answers.map(answer => ingressDocument(answer, 0))).to.deep.equal([
      {
        site: 'one',
        isDraining: true,
        certificates: [],
        error: { code: 'ingress-unreachable', message: 'one: no answer in time', hint: metrics.hint },
      },
    ])
  })

  it('D15 says what it can of an ingress that is blocked: a file of the operator cannot be read', async () => {
    const { desired, ...known } = sites({ one: report })
    const { ingress } = loadConfig({ repository: '/srv/manifests' }, {})
    if (ingress === undefined) throw new Error('there is an ingress unless told')
    const certificates = [{ cert: '/nowhere/cert', key: '/nowhere/key' }]
    const config = { ingress: { ...ingress, certificates } }
    const web = {
      ...service({ name: 'web' }),
      traffic: {
        role: 'backend' as const,
        gate: gateOf('prod', 'web', 'web', '10.201.0.0/16'),
        routes: [route],
      },
    }
    const wanted = { ...desired, applications: [application('web', [web])] }
    const [answer] = await askIngresses(
      { ...known, config, ...still },
      { desired: wanted, status: [seen('one')] },
    )
    expect(answer).to.deep.include({
      isDraining: true,
      certificates: [{ state: 'unknown', names: ['own.example.com'] }],
    })
  })

  it('G13 asks each once in five seconds, however many want to know', async () => {
    const { asked, desired, ...known } = sites({ one: report })
    const last = { desired, status: [seen('one')] }
    for (const steadyMs of [0, 0, 4_999])
      await askIngresses({ ...known, ...still, steadyMs: () => steadyMs }, last)
    expect(asked).to.deep.equal(['one'])
    await askIngresses({ ...known, ...still, steadyMs: () => 5_000 }, last)
    expect(asked).to.deep.equal(['one', 'one'])
  })

  it('G13 asks nobody before the repository was read, and finds out as soon as an ingress runs', async () => {
    const { asked, desired, ...known } = sites({ one: report })
    const world = { ...known, ...still }
    expect(await askIngresses(world, { status: [seen('one')] })).to.deep.equal([])
    expect(await askIngresses(world, { desired, status: [] })).to.deep.equal([])
    expect(asked).to.deep.equal([])
    expect(await askIngresses(world, { desired, status: [seen('one')] })).to.have.length(1)
  })
})
