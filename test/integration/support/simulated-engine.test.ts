import { expect } from 'chai'
import { connect } from '../../../lib/docker/connect.ts'
import type { Engine, EngineEvent } from '../../../lib/engine.ts'
import type { Step } from '../../../lib/plan/step/step.ts'
import { identity } from '../../support/builders/builders.ts'
import { failureOf } from '../../support/failures/failure-of.ts'
import type { PushedImage } from '../../support/images/images.ts'
import { exitsWith, healthyAfter } from '../../support/simulated/container/programs.ts'
import { type SimulatedEngine, simulatedEngine } from '../../support/simulated/engine.ts'
import { virtualClock } from '../../support/simulated/server/clock.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const provenance = { ...identity('prod'), commit: 'c0ffee' }
const { signal } = new AbortController()
const second = 1_000

const connected = ({ endpoint }: SimulatedEngine): Engine =>
  connect({ name: 'local', endpoint }, async () => undefined)

/** Creates and starts `web` on an engine through `lib/docker`. */
async function started(engine: SimulatedEngine, image: PushedImage, restart: 'no' | 'always' = 'no') {
  const site = connected(engine)
  const create: Step = {
    do: 'create-container',
    container: 'web',
    placement: {
      ...{ application: 'shop', service: 'web', instance: 1, fingerprint: 'v1:0123abcd', role: 'app' },
      ...{ network: { name: 'prod' }, attachments: [], aliases: ['web'], instanceName: 'web' },
    },
    spec: {
      name: 'web',
      image: { reference: image.reference, pin: { state: 'pinned', digest: image.digest } },
      restart: { name: restart },
      stopGraceMs: 5 * second,
    },
  }
  for (const step of [
    { do: 'create-network', network: { name: 'prod' } },
    { do: 'pull-image', reference: image.reference, digest: image.digest },
    create,
    { do: 'start-container', container: 'web' },
  ] as const)
    await site.execute(step, provenance, signal)
  return site
}

const stateOf = (engine: SimulatedEngine) => engine.container('web')?.state.status

describe('a simulated engine on a clock that the test moves', () => {
  it('lets no time pass by itself, and an hour in a moment', async () => {
    const clock = virtualClock(Date.parse('2026-01-01T00:00:00Z'))
    await using engine = await simulatedEngine({ clock })
    const image = engine.registry.push('web', '1', { behaves: { runs: exitsWith(3, 3_600 * second) } })
    const site = await started(engine, image)
    await clock.advance(3_599 * second)
    expect(stateOf(engine)).to.equal('running')
    await clock.advance(second)
    expect(stateOf(engine)).to.equal('exited')
    const [seen] = (await site.observe(provenance, signal)).containers
    expect(seen).to.include({ state: 'exited', exitCode: 3, status: 'Exited (3) Less than a second ago' })
    const { finishedAt } = engine.container('web')?.state ?? {}
    expect(finishedAt?.text).to.match(/^2026-01-01T01:00:00\.000/)
  })

  it('checks health in the intervals of the health check, and turns a container unhealthy after its retries', async () => {
    const clock = virtualClock()
    await using engine = await simulatedEngine({ clock })
    let isWell = true
    const image = engine.registry.push('web', '1', {
      healthcheck: { test: ['CMD', 'true'], intervalMs: 10 * second, retries: 3 },
      behaves: { check: around => (isWell ? healthyAfter(15 * second) : exitsWith(1))(around) },
    })
    await started(engine, image)
    const health = () => engine.container('web')?.health?.status
    const seen = [health()]
    for (const turn of [1, 2, 3, 4, 5]) {
      await clock.advance(10 * second)
      isWell = turn < 2
      seen.push(health())
    }
    expect(seen).to.deep.equal(['starting', 'starting', 'healthy', 'healthy', 'healthy', 'unhealthy'])
  })

  it('restarts what crashes after pauses that double', async () => {
    const clock = virtualClock()
    await using engine = await simulatedEngine({ clock })
    const image = engine.registry.push('web', '1', { behaves: { runs: exitsWith(1, 10) } })
    await started(engine, image, 'always')
    await clock.advance(10 + 100 + 10 + 200 + 10 + 400)
    expect(engine.container('web')).to.include({ restarts: 3, starts: 4 })
    expect(stateOf(engine)).to.equal('running')
  })
})

describe('faults of a simulated engine', () => {
  const call = /^POST \/containers\/[^/]+\/stop$/
  const stop = { do: 'stop-container', container: 'web' } as const

  it('refuses a call as often as is said, in the words that are said', async () => {
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'))
    engine.faults.set(call, { status: 500, message: 'the store is on fire' }, 1)
    const failure = await failureOf(site.execute(stop, provenance, signal))
    expect(failure).to.include({ code: 'engine-refused' })
    expect(failure.message).to.match(/: the store is on fire$/)
    await site.execute(stop, provenance, signal)
    expect(stateOf(engine)).to.equal('exited')
  })

  it('dies in the middle of an answer, with everything done', async () => {
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'))
    engine.faults.set(/^POST \/volumes\/create$/, 'dies')
    const create = { do: 'create-volume', volume: { name: 'data', application: 'shop' } } as const
    expect((await failureOf(site.execute(create, provenance, signal))).code).to.equal('engine-unreachable')
    expect((await site.resources(provenance, signal)).volumes).to.deep.equal(['data'])
  })

  it('takes a call and never answers it', async () => {
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'))
    const end = engine.faults.set(call, 'hangs')
    engine.forgetCalls()
    const told = new AbortController()
    const stopping = failureOf(site.execute(stop, provenance, told.signal))
    await waitUntil('it is asked', () => engine.calls.some(one => call.test(one)))
    told.abort()
    expect((await stopping).code).to.equal('interrupted')
    end()
    expect(stateOf(engine)).to.equal('running')
    await site.execute(stop, provenance, signal)
  })

  it('answers late by its own clock', async () => {
    const clock = virtualClock()
    await using engine = await simulatedEngine({ clock })
    const site = await started(engine, engine.registry.push('web', '1'))
    engine.faults.set(call, { lateMs: 20 * second })
    engine.forgetCalls()
    const stopping = site.execute(stop, provenance, signal)
    await waitUntil('it is asked', () => engine.calls.some(one => call.test(one)))
    expect(stateOf(engine)).to.equal('running')
    await waitUntil('it is stopped', async () => {
      await clock.advance(10 * second)
      return stateOf(engine) === 'exited'
    })
    await stopping
  })

  it('tells what was so when it was asked, once it is let go on', async () => {
    const [asked, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'))
    const heldUntil = () => {
      asked.resolve()
      return open.promise
    }
    engine.faults.set(/^GET \/containers\/json$/, { heldUntil }, 1)
    const looking = site.observe(provenance, signal)
    await asked.promise
    await site.execute(stop, provenance, signal)
    open.resolve()
    expect((await looking).containers[0]?.state).to.equal('running')
    expect((await site.observe(provenance, signal)).containers[0]?.state).to.equal('exited')
  })

  it('is not there, and has everything when it is there again', async () => {
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'))
    await engine.off()
    expect((await failureOf(site.observe(provenance, signal))).code).to.equal('engine-unreachable')
    await engine.on()
    expect((await site.observe(provenance, signal)).containers[0]?.state).to.equal('running')
  })

  it('ends its containers when it is restarted, and starts those whose policy says so', async () => {
    await using engine = await simulatedEngine()
    const site = await started(engine, engine.registry.push('web', '1'), 'always')
    const before = engine.container('web')?.state.startedAt
    await engine.restart()
    expect((await site.observe(provenance, signal)).containers[0]?.state).to.equal('running')
    expect(engine.container('web')?.state.startedAt).to.not.deep.equal(before)
  })

  it('tells events late, or never', async () => {
    const clock = virtualClock()
    await using engine = await simulatedEngine({ clock })
    const site = await started(engine, engine.registry.push('web', '1'))
    const events: EngineEvent[] = []
    const told = new AbortController()
    engine.forgetCalls()
    const watching = site.watch(provenance, event => events.push(event), told.signal)
    await waitUntil('it listens', () => engine.calls.includes('GET /events'))
    engine.tellEvents({ lateMs: 60 * second })
    await site.execute(stop, provenance, signal)
    engine.tellEvents('never')
    await site.execute({ do: 'remove-container', container: 'web' }, provenance, signal)
    expect(events).to.deep.equal([])
    await clock.advance(60 * second)
    await waitUntil('they are told', () => events.some(({ action }) => action === 'stop'))
    expect(events.map(({ action }) => action)).to.not.include('destroy')
    told.abort()
    await watching
  })
})
