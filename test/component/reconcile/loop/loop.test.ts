import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import type { Log } from '../../../../lib/log.ts'
import { startLoop } from '../../../../lib/reconcile/loop/loop.ts'
import { createPassEnds } from '../../../../lib/reconcile/loop/pass-ends.ts'
import type { Trigger } from '../../../../lib/reconcile/loop/trigger.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import { everyImage, manifestOf, memoryWorlds, silent } from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../support/memory/memory-engine.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })
const next = (digit: string) => digit.repeat(40)

describe('the loop', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('G18 looks at once, verifies what it applied at once, and then looks after the interval and not before', async () => {
    await using loop = begin()
    expect(await loop.passes(2)).to.deep.equal(['start applied', 'after-apply in-sync'])
    await loop.wait(59_999)
    expect(loop.told).to.have.length(2)
    await loop.wait(1)
    expect(await loop.passes(3)).to.deep.equal([...loop.told.slice(0, 2), 'poll in-sync'])
  })

  it('G18 looks only when it is told where a cron expression says when', async () => {
    await using loop = begin({ pollMs: undefined })
    await loop.passes(2)
    expect(loop.state()).to.not.have.any.keys('nextMs', 'running')
    await loop.wait(86_400_000)
    expect(loop.told).to.have.length(2)
    loop.request('poll')
    expect((await loop.passes(3)).at(-1)).to.equal('poll in-sync')
  })

  it('G18 makes one more pass for any number of requests that come while one runs', async () => {
    const held = hold()
    await using loop = begin({ engine: { observe: held.observe } })
    await held.asked
    for (let count = 0; count < 5; count += 1) loop.request('command')
    held.release()
    expect((await loop.passes(2)).at(-1)).to.equal('command in-sync')
    expect(await loop.rest()).to.have.length(2)
  })

  it('G17 does not read again which engines were served, as long as no site comes, goes or has another name', async () => {
    await using loop = begin()
    await loop.passes(2)
    const before = loop.servedReads()
    loop.request('poll')
    loop.request('poll')
    await loop.passes(3)
    expect(loop.servedReads() - before).to.equal(0)
  })

  it('G17 tries a site that does not answer at growing intervals, however often the repository is looked at', async () => {
    const silence = silentSite()
    await using loop = begin({ pollMs: 1_000, engine: { observe: silence.observe } })
    await loop.passes(1)
    for (let second = 0; second < 60; second += 1) {
      await loop.wait(1_000)
      await loop.rest()
    }
    expect(loop.lookUps(), 'the repository is looked at all the same').to.be.above(40)
    expect(silence.tries()).to.be.within(5, 8)
  })

  it('G17 tries what failed at growing intervals, however often the repository is looked at', async () => {
    const create = () => Promise.reject(new Failure('engine-refused', 'the engine is busy'))
    await using loop = begin({ pollMs: 1_000, engine: { create } })
    await loop.passes(1)
    for (let second = 0; second < 60; second += 1) {
      await loop.wait(1_000)
      await loop.rest()
    }
    expect(loop.lookUps(), 'the repository is looked at all the same').to.be.above(40)
    expect(loop.creations()).to.be.within(5, 8)
  })

  it('G17 tries a site that does not answer at once where somebody asks, or something else is wanted', async () => {
    const silence = silentSite()
    await using loop = begin({ pollMs: 1_000, engine: { observe: silence.observe } })
    await loop.passes(1)
    for (let second = 0; second < 40; second += 1) {
      await loop.wait(1_000)
      await loop.rest()
    }
    const before = silence.tries()
    const look = loop.request('command')
    await loop.passes(before + 1)
    expect([silence.tries() - before, loop.isSettled(look)]).to.deep.equal([1, true])
    loop.commit(files('2'), next('2'))
    await loop.wait(1_100)
    await loop.passes(before + 2)
    expect(silence.tries() - before).to.equal(2)
  })

  it('G17 D5 asks a registry again that does not answer, and makes a pass over the sites once it does', async () => {
    let isSilent = true
    const distribution: Engine['distribution'] = async (...asked) => {
      if (isSilent) throw new Failure('registry-unreachable', 'registry.example.com: no answer')
      return everyImage(...asked)
    }
    await using loop = begin({ engine: { distribution } })
    expect(await loop.passes(1)).to.deep.equal(['start failed'])
    await loop.wait(1_000)
    await loop.wait(2_000)
    expect([await loop.rest(), loop.lookUps()]).to.deep.equal([['start failed'], 3])
    isSilent = false
    await loop.wait(4_000)
    expect(await loop.passes(3)).to.deep.equal(['start failed', 'poll applied', 'after-apply in-sync'])
  })

  it('G18 looks once for a burst of events, a tenth of a second after the first of them', async () => {
    await using loop = begin()
    await loop.passes(2)
    for (let count = 0; count < 50; count += 1) loop.event()
    await loop.wait(99)
    for (let count = 0; count < 50; count += 1) loop.event()
    expect(loop.told).to.have.length(2)
    await loop.wait(1)
    expect((await loop.passes(3)).at(-1)).to.equal('engine-event in-sync')
    expect(await loop.rest()).to.have.length(3)
  })

  it('G18 does what a person asks for rather than what an event does, whichever came first', async () => {
    for (const order of [
      ['engine-event', 'command'],
      ['command', 'engine-event'],
    ] as const) {
      const held = hold(2)
      await using loop = begin({ engine: { observe: held.observe } })
      await loop.passes(2)
      loop.request('poll')
      await held.asked
      // The pass has begun, and goes by that look.
      await loop.rest()
      for (const trigger of order) loop.ask(trigger)
      held.release()
      expect((await loop.passes(4)).slice(2), order.join()).to.deep.equal(['poll in-sync', 'command in-sync'])
    }
  })

  it('G17 G18 tries again at once when a person asks for it while a burst of events is waited for', async () => {
    const broken = new Failure('engine-refused', 'the engine is busy')
    await using loop = begin({ engine: { create: () => Promise.reject(broken) } })
    await loop.passes(2)
    loop.event()
    await loop.wait(50)
    loop.request('command')
    await loop.wait(50)
    expect((await loop.passes(3)).at(-1)).to.equal('command rolled-back')
    expect(loop.creations()).to.equal(2)
  })

  it('G2 G18 asks the repository for every trigger that may be about it, and never for an event', async () => {
    await using loop = begin({ pollMs: 600_000 })
    await loop.passes(2)
    const asked = async (trigger: Asked) => {
      const [before, passes] = [loop.lookUps(), loop.told.length]
      loop.ask(trigger)
      await loop.wait(100)
      await loop.passes(passes + 1)
      return loop.lookUps() - before
    }
    expect([await asked('command'), await asked('source-change'), await asked('poll')]).to.deep.equal([
      1, 1, 1,
    ])
    expect(await asked('engine-event')).to.equal(0)
  })

  it('G2 G18 looks at its only site while the repository is asked, and the pass that follows goes by that', async () => {
    const asked = callsInOrder()
    await using loop = begin(asked.parts)
    await loop.passes(2)
    for (const trigger of ['command', 'poll'] as const) {
      asked.forget()
      loop.request(trigger)
      await loop.passes(loop.told.length + 1)
      expect(asked.all(), trigger).to.deep.equal(['engine', 'repository'])
    }
  })

  it('G2 G18 looks again if something happened there since, or the first look came to nothing', async () => {
    for (const mishap of ['an event', 'no answer'] as const) {
      const asked = callsInOrder()
      await using loop = begin(asked.parts)
      await loop.passes(2)
      asked.forget()
      if (mishap === 'no answer') asked.failOnce()
      else asked.onRepository(loop.event)
      loop.request('command')
      await loop.rest()
      await loop.wait(100)
      expect((await loop.passes(3)).at(-1)).to.equal('command in-sync')
      expect(asked.all(), mishap).to.deep.equal(['engine', 'repository', 'engine'])
    }
  })

  it('G17 tries again after one second, then two, and no event makes it earlier or later', async () => {
    const broken = new Failure('engine-refused', 'the engine is busy')
    let isBusy = true
    await using loop = begin({
      engine: { create: () => (isBusy ? Promise.reject(broken) : undefined) },
    })
    expect(await loop.passes(2)).to.deep.equal(['start rolled-back', 'after-apply failed'])
    expect([loop.state().nextMs, loop.creations()]).to.deep.equal([loop.nowMs() + 1_000, 1])
    await loop.wait(500)
    loop.event()
    await loop.wait(100)
    await loop.passes(3)
    expect([loop.state().nextMs, loop.creations()]).to.deep.equal([loop.nowMs() + 400, 1])
    await loop.wait(399)
    expect(loop.told).to.have.length(3)
    await loop.wait(1)
    await loop.passes(5)
    expect([loop.told[3], loop.creations()]).to.deep.equal(['poll rolled-back', 2])
    isBusy = false
    await loop.wait(1_999)
    expect(loop.told).to.have.length(5)
    await loop.wait(1)
    expect((await loop.passes(7)).slice(5)).to.deep.equal(['poll applied', 'after-apply in-sync'])
  })

  it('G17 tries again at once when a person asks for it', async () => {
    const broken = new Failure('engine-refused', 'the engine is busy')
    await using loop = begin({ engine: { create: () => Promise.reject(broken) } })
    await loop.passes(1)
    loop.request('command')
    expect((await loop.passes(3)).at(-1)).to.equal('command rolled-back')
    expect(loop.creations()).to.equal(2)
  })

  it('G17 A33 tries again where something went wrong when a person says a word about a deployment, and nowhere else', async () => {
    let isBusy = true
    const busy = new Failure('engine-refused', 'the engine is busy')
    await using loop = begin({ engine: { create: () => (isBusy ? Promise.reject(busy) : undefined) } })
    await loop.passes(2)
    isBusy = false
    loop.request('deployment')
    const told = await loop.passes(4)
    expect(told.slice(2)).to.deep.equal(['deployment applied', 'after-apply in-sync'])
    loop.request('deployment')
    expect(await loop.rest()).to.deep.equal(told)
  })

  for (const how of ['a request', 'the interval'] as const)
    it(`G12 a newer commit that is seen by ${how} ends the wait for health, and is what comes next`, async () => {
      const unhealthy = neverHealthy()
      await using loop = begin({ engine: unhealthy.engine })
      await unhealthy.waits
      expect(loop.state().running).to.include({ step: unhealthy.step() })
      expect(loop.state().running?.changes).to.deep.equal(['local/web/web'])
      unhealthy.heal()
      loop.commit(files('2'), next('2'))
      if (how === 'a request') loop.request('source-change')
      else await loop.wait(60_000)
      const told = await loop.passes(2)
      expect([told[0], told[1]?.split(' ')[1]]).to.deep.equal(['start superseded', 'applied'])
      expect(loop.state().last?.desired?.revision.commit).to.equal(next('2'))
    })

  it('G12 neither an event nor the same commit ends the wait for health', async () => {
    const unhealthy = neverHealthy(1)
    await using loop = begin({ engine: unhealthy.engine })
    await loop.passes(2)
    loop.commit(files('2'), next('2'))
    loop.request('source-change')
    await unhealthy.waits
    const before = loop.lookUps()
    loop.event()
    await turn()
    expect(loop.lookUps()).to.equal(before)
    loop.request('poll')
    await loop.wait(60_000)
    expect(loop.lookUps()).to.be.greaterThan(before)
    expect(loop.told).to.have.length(2)
    expect(loop.state().running?.changes).to.deep.equal(['local/web/web'])
  })

  for (const [when, more] of [
    ['while a pass looks', 1],
    ['at no time', 0],
  ] as const)
    it(`G17 G18 the site is looked at beside a rollout for what happens ${when}`, async () => {
      const unhealthy = neverHealthy(1)
      let [looks, left] = [0, 0]
      const observe =
        (memory: MemoryEngine): Engine['observe'] =>
        async (...asked) => {
          looks += 1
          const live = await memory.observe(...asked)
          if (left === 0) return live
          left = 0
          // It was begun before the pass that goes by it.
          await loop.rest()
          memory.happen()
          return live
        }
      await using loop = begin({ engine: { ...unhealthy.engine, observe } })
      await loop.passes(2)
      loop.commit(files('2'), next('2'))
      left = more
      loop.request('source-change')
      await unhealthy.waits
      const before = looks
      await loop.wait(5_000)
      await loop.rest()
      await loop.wait(100)
      await loop.rest()
      expect(looks - before).to.equal(more)
    })

  it('G12 a newer commit that cannot be read ends no rollout', async () => {
    const unhealthy = neverHealthy()
    await using loop = begin({ engine: unhealthy.engine })
    await unhealthy.waits
    loop.commit({ 'environments/prod/manifest.json': '{' }, next('2'))
    loop.request('source-change')
    for (let count = 0; count < 50; count += 1) await turn()
    expect(loop.told).to.deep.equal([])
    expect(loop.state().running?.changes).to.deep.equal(['local/web/web'])
  })

  it('G12 ends where it waits once it is told to stop, and looks no more', async () => {
    await using idle = begin()
    await idle.passes(2)
    idle.stop()
    await idle.ended
    idle.request('command')
    expect(await idle.rest()).to.have.length(2)

    const unhealthy = neverHealthy()
    await using busy = begin({ engine: unhealthy.engine })
    await unhealthy.waits
    busy.request('command')
    busy.stop()
    await busy.ended
    expect(await busy.rest()).to.deep.equal(['start interrupted'])
  })

  it('G13 G18 is settled by a look that reads nothing, says so, and forgets that with the next look that does', async () => {
    let refused: Failure | undefined
    await using loop = begin({ pollMs: undefined, refuses: () => refused })
    await loop.passes(2)
    refused = new Failure('repository-too-large', 'the list of its branches is too long')
    const look = loop.request('command')
    expect((await loop.passes(3)).at(-1)).to.equal('command failed')
    expect([loop.isSettled(look), loop.state().last?.outcome]).to.deep.equal([true, 'failed'])
    refused = undefined
    loop.request('command')
    expect((await loop.passes(4)).at(-1)).to.equal('command in-sync')
    expect(loop.state().last?.outcome).to.equal('in-sync')
  })

  it('G12 a newer commit that comes while the pass still looks ends the wait for health that follows', async () => {
    const [held, unhealthy] = [hold(), neverHealthy()]
    await using loop = begin({ engine: { observe: held.observe, ...unhealthy.engine } })
    await held.asked
    loop.commit(files('2'), next('2'))
    loop.request('source-change')
    for (let count = 0; count < 50; count += 1) await turn()
    held.release()
    expect((await loop.passes(1)).at(0)).to.equal('start superseded')
    unhealthy.heal()
  })

  it('G12 a newer commit ends no wait of a pass that is over', async () => {
    const said: string[] = []
    const log: Log = { ...silent, info: words => said.push(words) }
    await using loop = begin({ log, pollMs: undefined })
    await loop.passes(2)
    loop.commit(files('2'), next('2'))
    loop.request('source-change')
    await loop.passes(4)
    expect(said.filter(words => words.includes('supersedes'))).to.deep.equal([])
  })

  it('G17 goes on when whoever is told of a result fails, and logs that', async () => {
    const errors: string[] = []
    await using loop = begin({
      onResult: () => {
        throw new Error('cannot be told')
      },
      log: { ...silent, error: message => errors.push(message) },
    })
    expect(await loop.passes(2)).to.deep.equal(['start applied', 'after-apply in-sync'])
    loop.request('command')
    expect((await loop.passes(3)).at(-1)).to.equal('command in-sync')
    expect(errors).to.deep.equal(Array(3).fill('the end of a pass was not told everywhere: cannot be told'))
  })

  it('G17 a loop of a site that fails ends all of them, with its reason, once each has ended', async () => {
    let isBroken = false
    await using loop = begin({
      random: () => {
        if (isBroken) throw new Error('a defect')
        return 0.5
      },
    })
    await loop.passes(2)
    isBroken = true
    loop.event()
    await loop.wait(100)
    expect(await loop.reason()).to.equal('a defect')
    const looked = loop.lookUps()
    loop.request('command')
    await loop.rest()
    expect(loop.lookUps()).to.equal(looked)
  })

  it('G12 a loop that is told to stop before it began makes no pass', async () => {
    await using loop = begin({ signal: AbortSignal.abort() })
    await loop.ended
    expect(loop.told).to.deep.equal([])
  })
})

/** What a test asks for. */
type Asked = 'command' | 'source-change' | 'poll' | 'deployment' | 'engine-event'

type Parts = {
  readonly pollMs?: number | undefined
  readonly signal?: AbortSignal
  readonly random?: () => number
  readonly log?: Log
  /** Why the repository cannot be asked now. */
  readonly refuses?: () => Failure | undefined
  /** Does this besides, whenever a pass has ended. */
  readonly onResult?: () => void
  readonly engine?: {
    readonly distribution?: Engine['distribution']
    readonly observe?: (memory: MemoryEngine) => Engine['observe']
    /** Called before a container is created; what it rejects with is the engine's answer. */
    readonly create?: () => Promise<void> | undefined
    readonly health?: (step: string, signal: AbortSignal) => Promise<void>
  }
}

/** A loop over one service, on a clock that stands still until the test lets time pass. */
function begin(parts: Parts = {}) {
  const { signal, engine = {} } = parts
  const stopping = new AbortController()
  let [nowMs, lookUps, creations] = [1_000_000, 0, 0]
  const memory = memoryEngine({ distribution: engine.distribution ?? everyImage })
  const { worlds, commit } = memoryWorlds({
    files: files('1'),
    clock: { nowMs: () => nowMs, steadyMs: () => nowMs },
    engine: {
      ...memory,
      ...(engine.observe === undefined ? {} : { observe: engine.observe(memory) }),
      async execute(step, provenance, ending, note) {
        if (step.do === 'create-container') {
          creations += 1
          await engine.create?.()
        }
        if (step.do === 'await-healthy') await engine.health?.(`${step.do} ${step.container}`, ending)
        return memory.execute(step, provenance, ending, note)
      },
    },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is no world')
  const reads = mock.method(world.journal, 'servedEngines')
  const ends = createPassEnds()
  const told: string[] = []
  const source = {
    ...world.source,
    lookUp(given: AbortSignal) {
      lookUps += 1
      const refusal = parts.refuses?.()
      return refusal === undefined ? world.source.lookUp(given) : Promise.reject(refusal)
    },
  }
  const loop = startLoop(
    { ...world, source, ...(parts.log === undefined ? {} : { log: parts.log }) },
    {
      pollMs: 'pollMs' in parts ? parts.pollMs : 60_000,
      signal: signal ?? stopping.signal,
      random: parts.random ?? (() => 0.5),
      onResult(result: PassResult, trigger: Trigger) {
        told.push(`${trigger} ${result.outcome}`)
        ends.tell(result)
        parts.onResult?.()
      },
    },
  )
  const reason = loop.ended.then(
    () => undefined,
    (error: Error) => error.message,
  )
  const ask = (trigger: Asked) => (trigger === 'engine-event' ? memory.happen() : loop.request(trigger))
  const wait = async (ms: number) => {
    // What was woken before gets as far as its next wait.
    await turn()
    nowMs += ms
    mock.timers.tick(ms)
    await turn()
  }
  return {
    ...loop,
    event: memory.happen,
    ask,
    commit,
    told,
    wait,
    nowMs: () => nowMs,
    lookUps: () => lookUps,
    servedReads: () => reads.mock.callCount(),
    creations: () => creations,
    stop: () => stopping.abort(),
    /** Why the loop ended, once it has; undefined if it was told to. */
    reason: () => reason,
    /** What the first passes were asked by and how they ended, once there are that many. */
    async passes(count: number): Promise<readonly string[]> {
      while (ends.count() < count) {
        mock.timers.tick(0)
        await turn()
      }
      return told
    },
    /** What was told once nothing is left to be done without time passing. */
    async rest(): Promise<readonly string[]> {
      for (let count = 0; count < 20; count += 1) await wait(0)
      return told
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await reason
    },
  }
}

/** Looks at the engine, after some, that do not end before they are released; after that it answers as ever. */
function hold(after = 0) {
  let looks = 0
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    asked: asked.promise,
    release: released.resolve,
    observe:
      (memory: MemoryEngine): Engine['observe'] =>
      async (scope, signal) => {
        looks += 1
        if (looks <= after) return memory.observe(scope, signal)
        asked.resolve()
        await released.promise
        return memory.observe(scope, signal)
      },
  }
}

/** Who is asked what is wanted and what runs, in order; the engine does not answer once, if it is told so. */
function callsInOrder() {
  let [calls, isFailing]: [string[], boolean] = [[], false]
  let onRepository: (() => void) | undefined
  return {
    all: () => calls,
    /** Calls back when the repository is asked from now on. */
    onRepository(callback: () => void) {
      onRepository = callback
    },
    forget() {
      calls = []
    },
    failOnce() {
      isFailing = true
    },
    parts: {
      refuses() {
        calls.push('repository')
        onRepository?.()
        return undefined
      },
      engine: {
        observe:
          (memory: MemoryEngine): Engine['observe'] =>
          async (...asked) => {
            calls.push('engine')
            if (!isFailing) return memory.observe(...asked)
            isFailing = false
            throw new Failure('engine-unreachable', 'local: no answer')
          },
      },
    },
  }
}

/** A site that never answers, and how often it was tried. */
function silentSite() {
  let tries = 0
  return {
    tries: () => tries,
    observe: (): Engine['observe'] => async () => {
      tries += 1
      throw new Failure('engine-unreachable', 'local: no answer')
    },
  }
}

/** A wait for health, after some, that only its signal ends, until the engine heals: after that all are healthy. */
function neverHealthy(after = 0) {
  let healthy = 0
  const waits = Promise.withResolvers<void>()
  let [isHealed, waited] = [false, '']
  return {
    waits: waits.promise,
    step: () => waited,
    heal: () => {
      isHealed = true
    },
    engine: {
      health: async (step: string, signal: AbortSignal) => {
        healthy += 1
        if (isHealed || healthy <= after) return
        waited = step
        waits.resolve()
        await new Promise<never>((_, reject) => {
          const stop = () => reject(new Failure('interrupted', 'the wait was ended'))
          signal.addEventListener('abort', stop, { once: true })
        })
      },
    },
  }
}
