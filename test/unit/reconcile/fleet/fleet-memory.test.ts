import { expect } from 'chai'
import { createFleetMemory } from '../../../../lib/reconcile/fleet/fleet-memory.ts'
import { waitingFor } from './memory/waiting-turn.ts'

const minute = 60_000

describe('what is remembered of deployments', () => {
  it('A31 A32 G17 all times that are remembered are moved with the time of day when that is set', () => {
    const memory = createFleetMemory()
    let [steadyMs, aheadMs] = [5 * minute, 60 * minute]
    const clock = { steadyMs: () => steadyMs, nowMs: () => steadyMs + aheadMs }
    memory.noteClock(clock)
    const turn = waitingFor({ for: 'healthy-time', sinceMs: clock.nowMs(), untilMs: clock.nowMs() + minute })
    memory.setTurns([turn])
    memory.looks.set(turn.run.of, 'a', clock.nowMs())
    memory.waiting.setHeldBack('shop', 'a', true, clock.nowMs())
    memory.seen.setChanging('a', ['shop'], clock.nowMs())
    memory.seen.setChanging('b', ['shop'])
    steadyMs += minute
    aheadMs = -20 * minute
    memory.noteClock(clock)
    const beganMs = clock.nowMs() - minute
    const [now] = memory.turns.all()
    expect({
      wait: now?.run?.stand.wait,
      looked: memory.looks.lastMs(turn.run.of, 'a'),
      heldBack: memory.waiting.heldBackMs('shop', 'a'),
    }).to.deep.equal({
      wait: { for: 'healthy-time', sinceMs: beganMs, untilMs: beganMs + minute },
      looked: beganMs,
      heldBack: beganMs,
    })
    const isChangedAfterLook = (site: string, atMs: number) => {
      memory.seen.set(site, { applications: [] }, atMs)
      return memory.seen.isChanged(site, 'shop')
    }
    expect([
      isChangedAfterLook('a', beganMs - 1),
      isChangedAfterLook('a', beganMs),
      isChangedAfterLook('b', 0),
    ]).to.deep.equal([true, false, false])
  })

  it('A32 G24 a site that reaches a version has done so for the next pass, and is news, before the deployments are advanced', () => {
    const memory = createFleetMemory()
    memory.setTurns([waitingFor({ for: 'sites', sites: ['a'], sinceMs: 0 })])
    expect(memory.turns.hasReached('shop', 'a')).to.equal(false)
    memory.turns.noteReached('shop', 'a')
    expect([memory.turns.hasReached('shop', 'a'), memory.news.take()]).to.deep.equal([true, 'due'])
    memory.setTurns([waitingFor({ for: 'sites', sites: ['a'], sinceMs: 0 })])
    expect(memory.turns.hasReached('shop', 'a'), 'as the facts say').to.equal(false)
  })

  it('G22 A31 nothing is remembered of a site that is gone, or has another engine: what was found on the former one says nothing of it', () => {
    const memory = createFleetMemory()
    const { of } = waitingFor({ for: 'sites', sites: ['a'], sinceMs: 0 }).run
    const note = (site: string) => {
      memory.looks.set(of, site, 1)
      memory.waiting.setHeldBack('shop', site, true, 1)
      memory.waiting.setQuiet('shop', site, '2.0')
      memory.seen.set(site, { applications: [] }, 1)
      memory.seen.setChanging(site, ['shop'])
      memory.readiness.set('shop', site, false)
      memory.readiness.setClosed('shop', site, true)
      memory.readiness.setSilent(site, true)
      memory.readiness.setTheirs(site, true)
    }
    const known = (site: string) => [
      memory.looks.lastMs(of, site),
      memory.waiting.heldBackMs('shop', site),
      memory.waiting.isQuiet('shop', site, '2.0'),
      memory.seen.on(site),
      memory.seen.isChanged(site, 'shop'),
      memory.readiness.isReady('shop', site),
      memory.readiness.isSeen(site),
    ]
    const never = known('never')
    for (const site of ['a', 'b']) note(site)
    const ofB = known('b')
    memory.forget('a')
    expect(known('a')).to.deep.equal(never)
    expect(known('b')).to.deep.equal(ofB)
  })

  it('A34 G24 the last site that a run waits for is news that is due once it cannot go on', () => {
    const memory = createFleetMemory()
    memory.setTurns([waitingFor({ for: 'sites', sites: ['a', 'b'], sinceMs: 0 })])
    const isNews = (site: string) => {
      memory.readiness.set('shop', site, false)
      return memory.news.take()
    }
    expect([isNews('a'), isNews('b')]).to.deep.equal(['later', 'due'])
  })

  it('A31 A33 D15 forgets when a run was judged once its deployment is at no run', () => {
    const memory = createFleetMemory()
    const { run, ...turn } = waitingFor({ for: 'unready', sites: ['b'] })
    memory.looks.set(run.of, 'a', 7)
    memory.setTurns([{ ...turn, run }])
    expect(memory.looks.lastMs(run.of, 'a')).to.equal(7)
    memory.setTurns([turn])
    expect(memory.looks.lastMs(run.of, 'a')).to.equal(undefined)
  })
})
