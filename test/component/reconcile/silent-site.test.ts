import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { Failure } from '../../../lib/errors.ts'
import { round } from '../../../lib/reconcile/round.ts'
import type { RoundRequest } from '../../../lib/reconcile/site/pass-request.ts'
import { planIds } from '../../../lib/reconcile/site/result/join-results.ts'
import { type PassResult, unreachedOf } from '../../../lib/reconcile/site/result/pass-result.ts'
import { lookAfter } from '../../../lib/reconcile/status/look-after.ts'
import { identity } from '../../support/builders/builders.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
  memoryWorlds,
} from '../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine, runningOn } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'
import { unlessItHangs } from '../../support/time/hangs.ts'

const files = (tag: string) => manifestOf('prod', { web: tag }, { skipConfirmation: true })

/** What a site does that does not answer. */
const silences = {
  hangs: (...given: readonly unknown[]) =>
    new Promise<never>((_, reject) => {
      const signal = given.at(-1)
      if (!(signal instanceof AbortSignal)) return
      const stop = () => reject(new Failure('interrupted', 'it was told to stop'))
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    }),
  refuses: () => Promise.reject(new Failure('engine-unreachable', 'store-1: nobody answers')),
}

for (const [how, silence] of Object.entries(silences))
  describe(`a site beside one that ${how}`, () => {
    it('G17 is deployed, follows a commit, and is put right, while the other says nothing', async () => {
      const { daemon, good } = await beside(silence)
      await using _daemon = daemon
      await reaches(daemon, () => runningOn(good).join() === 'web:1')
      daemon.commit(files('2'))
      daemon.control.running[0]?.loop.request('source-change')
      await reaches(daemon, () => runningOn(good).join() === 'web:2')
      await good.execute(
        { do: 'remove-container', container: [...good.has().containers.keys()][0] ?? '' },
        nobody,
        unlessItHangs(),
      )
      good.happen()
      await reaches(daemon, () => runningOn(good).join() === 'web:2')
    })

    it('G17 G25 has passes of its own that end well, and a state of its own on record', async () => {
      const { daemon } = await beside(silence)
      await using _daemon = daemon
      const isAsWanted = () =>
        daemon.journal
          .keptStates('prod')
          .some(({ site, state }) => site === 'store-2' && JSON.stringify(state).includes('"Synced"'))
      await reaches(daemon, isAsWanted)
      const outcomes = daemon.journal
        .log({ environment: 'prod', limit: 10 })
        .filter(({ site }) => site !== 'store-1')
        .map(({ outcome }) => outcome)
      expect(outcomes).to.deep.equal(['applied'])
    })
  })

describe('a site beside one that hangs, at the start', () => {
  it('G17 D17 waits two seconds for the other one to say who it is, and no longer', async () => {
    const { daemon, good, begunWithinGrace } = await beside(silences.hangs)
    await using _daemon = daemon
    expect(begunWithinGrace).to.deep.equal([])
    await reaches(daemon, () => runningOn(good).join() === 'web:1')
  })
})

describe('an environment of which one site hangs', () => {
  const syncOf = async (daemon: MemoryDaemon) => {
    const [{ sync }] = await daemon.ask('GET /api/v1/environments')
    return sync
  }
  const isSyncedAt = (daemon: MemoryDaemon, site: string, commit: string) => {
    const state = JSON.stringify(daemon.journal.keptState('prod', site)?.state)
    return state?.includes('"sync":"Synced"') && state.includes(commit)
  }

  it('G13 A34 is not Synced while no pass over that site has ended', async () => {
    const { daemon } = await beside(silences.hangs)
    await using _daemon = daemon
    await reaches(daemon, () => isSyncedAt(daemon, 'store-2', '1'.repeat(40)) === true)
    expect(await syncOf(daemon)).to.equal('Unknown')
  })

  it('G13 D17 is Synced to a process that only observes and has nothing on record, where all is as wanted', async () => {
    const engine = memoryEngine({ distribution: everyImage })
    {
      await using writer = await memoryDaemon({ files: files('1'), engine })
      await writer.pass()
      expect(runningOn(engine)).to.deep.equal(['web:1'])
    }
    await using observer = await memoryDaemon({ files: files('1'), engine, rivalIn: ['prod'] })
    await observer.pass()
    expect(await syncOf(observer)).to.equal('Synced')
  })

  it('G13 A34 is not Synced at a commit with which that site was not compared', async () => {
    let isAway = false
    const other = memoryEngine({ site: 'store-1', distribution: everyImage })
    const observe: Engine['observe'] = (...given) =>
      isAway ? silences.hangs(...given) : other.observe(...given)
    const { daemon } = await beside(undefined, { ...other, observe })
    await using _daemon = daemon
    await reaches(daemon, () =>
      ['store-1', 'store-2'].every(site => isSyncedAt(daemon, site, '1'.repeat(40)) === true),
    )
    expect(await syncOf(daemon)).to.equal('Synced')
    isAway = true
    daemon.commit(files('2'), '2'.repeat(40))
    daemon.control.running[0]?.loop.request('source-change')
    await reaches(daemon, () => isSyncedAt(daemon, 'store-2', '2'.repeat(40)) === true)
    expect(await syncOf(daemon)).to.equal('Unknown')
  })
})

describe('a site of several', () => {
  const unhealthy = new Failure('unhealthy', 'its health check fails')

  it('G17 keeps no application of another site from what it requires', async () => {
    const bad = memoryEngine({ site: 'store-1', distribution: everyImage })
    const failing: Engine['execute'] = (step, ...more) => {
      if (step.do === 'await-healthy' && step.container.includes('db')) throw unhealthy
      return bad.execute(step, ...more)
    }
    const { daemon, good } = await beside(undefined, { ...bad, execute: failing })
    await using _daemon = daemon
    daemon.commit(manifestOf('prod', { db: '1', web: '1' }, { skipConfirmation: true }))
    daemon.control.running[0]?.loop.request('source-change')
    await reaches(daemon, () => runningOn(good).toSorted().join() === 'db:1,web:1')
  })

  it('G5 G11 G17 gets what requires an application that is quarantined on another one, and keeps both', async () => {
    const bad = memoryEngine({ site: 'store-1', distribution: everyImage })
    const made: string[] = []
    const failing: Engine['execute'] = (step, ...more) => {
      if (step.do === 'create-container' && step.container.includes('db')) made.push(step.container)
      if (step.do === 'await-healthy' && made.indexOf(step.container) > 0) throw unhealthy
      return bad.execute(step, ...more)
    }
    const withDb = (tag: string, more: Readonly<Record<string, string>> = {}) => ({
      ...manifestOf('prod', { db: tag, ...more }, { skipConfirmation: true }),
      'applications/web.yaml':
        'name: web\nrequires: {db: "*"}\nservices: [{name: web, containers: [{name: web, image: web}]}]\n',
    })
    const { daemon, good } = await beside(undefined, { ...bad, execute: failing }, withDb('1'))
    await using _daemon = daemon
    await daemon.pass()
    daemon.commit(withDb('2'))
    await daemon.pass()
    const quarantined = daemon.journal.quarantined('prod')
    expect(quarantined.map(({ site, application }) => [site, application])).to.deep.equal([['store-1', 'db']])
    daemon.commit(withDb('2', { web: '1' }), '3'.repeat(40))
    await daemon.pass()
    expect([runningOn(good).toSorted(), runningOn(bad)]).to.deep.equal([['db:2', 'web:1'], ['db:1']])
    const [container = ''] = good.has().containers.keys()
    await good.execute({ do: 'remove-container', container }, nobody, unlessItHangs())
    await daemon.pass()
    expect(runningOn(good).toSorted()).to.deep.equal(['db:2', 'web:1'])
  })

  it('G13 D4 waits with a plan of its own, and one word on the plan of the environment answers all', async () => {
    const { daemon, good, other } = await beside(undefined, undefined, manifestOf('prod', { web: '1' }))
    await using _daemon = daemon
    await daemon.pass()
    expect(daemon.journal.waiting('prod').map(({ site }) => site)).to.deep.equal(['store-1', 'store-2'])
    const [{ waiting }] = await daemon.ask('GET /api/v1/environments')
    const own = daemon.journal.waiting('prod').map(({ planId }) => planId)
    expect(own).to.not.include(waiting.plan)
    const answer = await daemon.ask(`POST /api/v1/plans/${waiting.plan}/approve`, { who: 'ann' })
    expect(answer).to.include({ approved: waiting.plan, changes: 2 })
    await reaches(daemon, () => [...runningOn(good), ...runningOn(other)].join() === 'web:1,web:1')
  })

  it('G13 D4 is answered alone by a word on its own plan', async () => {
    const { daemon, good, other } = await beside(undefined, undefined, manifestOf('prod', { web: '1' }))
    await using _daemon = daemon
    await daemon.pass()
    const own = daemon.journal.waiting('prod').find(({ site }) => site === 'store-2')
    await daemon.ask(`POST /api/v1/plans/${own?.planId}/approve`, { who: 'ann' })
    await reaches(daemon, () => runningOn(good).join() === 'web:1')
    await daemon.pass()
    expect([runningOn(other), daemon.journal.waiting('prod').map(({ site }) => site)]).to.deep.equal([
      [],
      ['store-1'],
    ])
  })
})

/** How a command says what it showed. */
const ways = {
  'what it showed': (planned: PassResult) => ({ shown: planIds(planned) }),
  'the plan that somebody named': (planned: PassResult) => ({ onlyPlan: planned.plan?.id ?? '' }),
}

describe('a command over several sites of which one does not answer', () => {
  for (const [what, way] of Object.entries(ways))
    it(`G17 A34 asks that one once, and carries out ${what} on the others without another wait`, () =>
      asksOnce(way))

  it('G13 A34 looks once more at a site that fell silent in the middle of its changes, for what is on record', async () => {
    const lost = new Failure('engine-unreachable', 'store-1: the connection was lost')
    const breaking = memoryEngine({ site: 'store-1', distribution: everyImage })
    const looks: string[] = []
    const other: Engine = {
      ...breaking,
      execute: (step, ...more) => {
        if (step.do === 'create-container') throw lost
        return breaking.execute(step, ...more)
      },
      observe: (...given) => {
        looks.push('observe')
        return breaking.observe(...given)
      },
    }
    const { world, signal } = commanded(other)
    const planned = await round(world, { ...command, until: 'plan' }, signal)
    const result = await round(world, { ...command, until: 'apply' }, signal)
    expect(result.unreachable?.map(({ resource }) => resource)).to.deep.equal(['store-1'])
    const before = looks.length
    await lookAfter(world, result, unreachedOf(planned), signal)
    expect(looks.length - before).to.equal(1)
  })

  async function asksOnce(way: (planned: PassResult) => Partial<RoundRequest>): Promise<void> {
    const asked: string[] = []
    const refuses = (name: string) => () => {
      asked.push(name)
      return silences.refuses()
    }
    const silent = { observe: refuses('observe'), holders: refuses('holders'), info: refuses('info') }
    const other = { ...memoryEngine({ site: 'store-1', distribution: everyImage }), ...silent }
    const { world, good, signal } = commanded(other)
    const planned = await round(world, { ...command, until: 'plan' }, signal)
    const toPlan = asked.splice(0)
    const known = { ...way(planned), unreached: unreachedOf(planned) }
    const result = await round(world, { ...command, ...known, until: 'apply' }, signal)
    await lookAfter(world, result, known.unreached, signal)
    expect(toPlan).not.to.deep.equal([])
    expect(asked).to.deep.equal([])
    expect(runningOn(good)).to.deep.equal(['web:1'])
    expect(planned.unreachable?.map(({ resource, message }) => `${resource}: ${message}`)).to.deep.equal([
      'store-1: store-1: nobody answers',
    ])
    expect(result.unreachable).to.deep.equal(planned.unreachable)
  }

  const command = { trigger: 'command', freshness: { maxAgeMs: 0, lastGood: false } }

  /** What a command works with, over this site and a good one. */
  function commanded(other: Engine) {
    const good = memoryEngine({ site: 'store-2', distribution: everyImage })
    const { worlds, journal } = memoryWorlds({
      environments: ['prod'],
      files: files('1'),
      engines: [other, good],
    })
    const [world] = worlds
    if (world === undefined) throw new Error('there is one')
    journal.setEnvironment(identity('prod'))
    return { world, good, signal: new AbortController().signal }
  }
})

describe('a site that runs an environment no longer', () => {
  it('D17 is left alone from then on, whatever happens there', async () => {
    const [before, after] = ['store-1', 'store-2'].map(site =>
      memoryEngine({ site, distribution: everyImage }),
    )
    if (before === undefined || after === undefined) throw new Error('there are two')
    const endpoint = 'unix:///run/store.sock'
    await using daemon = await memoryDaemon({
      files: manifestOf('devel', { web: '1' }, { skipConfirmation: true }),
      engines: [before, after],
      config: {
        sites: [
          { name: 'store-1', endpoint, environments: ['devel'] },
          { name: 'store-2', endpoint, environments: ['prod'] },
        ],
      },
    })
    await reaches(daemon, () => runningOn(before).join() === 'web:1')
    daemon.commit(files('1'))
    await daemon.pass()
    expect(runningOn(after)).to.deep.equal(['web:1'])
    const [container = ''] = before.has().containers.keys()
    await before.execute({ do: 'remove-container', container }, nobody, unlessItHangs())
    const done = before.done.length
    before.happen()
    await daemon.pass()
    expect([runningOn(before), before.done.length]).to.deep.equal([[], done])
  })
})

const nobody = { environment: 'prod', source: '', address: '', directory: '', commit: '' }

/** A daemon over two sites: `store-1`, which may say nothing, and `store-2`, which is good. */
async function beside(
  silence: ((...given: readonly unknown[]) => Promise<never>) | undefined,
  other: MemoryEngine = memoryEngine({ site: 'store-1', distribution: everyImage }),
  manifest = files('1'),
) {
  const good = memoryEngine({ site: 'store-2', distribution: everyImage })
  let asked = 0
  const silent = silence && {
    observe: silence,
    holders: silence,
    info: (...given: readonly unknown[]) => {
      asked += 1
      return silence(...given)
    },
  }
  const engines = [{ ...other, ...silent }, good]
  const config = {
    sites: engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })),
  }
  // An environment that the journal knows needs no engine to say what it is called.
  const journal = memoryJournal()
  journal.setEnvironment(identity('prod'))
  const start = () => memoryDaemon({ environments: ['prod'], files: manifest, engines, config, journal })
  let begun: readonly string[] = []
  const note = ({ control }: MemoryDaemon) => {
    begun = control.running.flatMap(({ loop }) => [...loop.sites().keys()])
  }
  const daemon = await (silence === undefined ? start() : pastGrace(start, () => asked, note))
  return { daemon, good, other, begunWithinGrace: begun }
}

/** Starts it, and lets the two seconds go by that a site is given at the start to say who it is. */
async function pastGrace(
  start: () => Promise<MemoryDaemon>,
  asked: () => number,
  atTheEnd: (daemon: MemoryDaemon) => void,
): Promise<MemoryDaemon> {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const started = await start()
    // Once for the registry, and once for who it is.
    while (asked() < 2) {
      mock.timers.tick(100)
      await turn()
    }
    mock.timers.tick(1_999)
    await turn()
    atTheEnd(started)
    mock.timers.tick(1)
    return started
  } finally {
    mock.timers.reset()
  }
}

/** Waits until something is so after the end of a pass. */
async function reaches(daemon: MemoryDaemon, isSo: () => boolean): Promise<void> {
  await daemon.control.running[0]?.ends.until(isSo, unlessItHangs())
}
