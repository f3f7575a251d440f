import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import type { Journal } from '../../../../lib/journal/journal.ts'
import {
  everyImage,
  type MemoryDaemon,
  manifestOf,
  memoryDaemon,
} from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine, runningOn } from '../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'
import { unlessItHangs } from '../../../support/time/hangs.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
const at = (name: string, endpoint = `unix:///run/${name}.sock`) => ({ name, endpoint })

describe('a site that comes, changes or goes while the loops run', () => {
  it('G17 is brought up to date as soon as it comes, and the others are left alone', async () => {
    const [east, west] = [store('east'), store('west')]
    await using daemon = await start([east], [west])
    const done = east.done.length
    daemon.adopt([at('east'), at('west')])
    await daemon.pass()
    await reaches(daemon, () => runningOn(west).join() === 'web:1')
    expect(east.done.length).to.equal(done)
  })

  it('G2 A25 asks before anything is deployed to another engine at another address: what lacks there is no drift', async () => {
    const [first, other, west] = [store('east'), store('east', 'other'), store('west')]
    await using daemon = await start([first, west], [other])
    daemon.commit(manifestOf('prod', { web: '1' }))
    await daemon.pass()
    daemon.adopt([at('east', 'unix:///run/other.sock'), at('west')])
    await daemon.pass()
    await reaches(daemon, () => isWaitingOn(daemon, 'east'))
    expect([runningOn(other), other.done]).to.deep.equal([[], []])
    expect([runningOn(first), runningOn(west)]).to.deep.equal([['web:1'], ['web:1']])
  })

  it('G2 A25 asks so, too, if it is the only site', async () => {
    const [first, other] = [store('east'), store('east', 'other')]
    await using daemon = await start([first], [other])
    daemon.commit(manifestOf('prod', { web: '1' }))
    await daemon.pass()
    daemon.adopt([at('east', 'unix:///run/other.sock')])
    await daemon.pass()
    await reaches(daemon, () => isWaitingOn(daemon, 'east'))
    expect([runningOn(first), runningOn(other), other.done]).to.deep.equal([['web:1'], [], []])
  })

  it('G2 A25 asks so, too, if another site has its address and its engine now', async () => {
    const [first, other, west] = [store('east'), store('east', 'other'), store('west')]
    await using daemon = await start([west, first], [sameAs(first, 'west'), other])
    daemon.commit(manifestOf('prod', { web: '1' }))
    await daemon.pass()
    daemon.adopt([at('west', 'unix:///run/east.sock'), at('east', 'unix:///run/other.sock')])
    await daemon.pass()
    await reaches(daemon, () => isWaitingOn(daemon, 'east'))
    expect([runningOn(other), other.done]).to.deep.equal([[], []])
    expect([runningOn(first), runningOn(west)]).to.deep.equal([['web:1'], ['web:1']])
  })

  it('G5 A25 does not try again under another name what has failed there', async () => {
    const memory = store('east')
    let isFailing = false
    const east: MemoryEngine = {
      ...memory,
      async execute(step, ...how) {
        if (step.do !== 'await-healthy' || !isFailing) return memory.execute(step, ...how)
        isFailing = false
        throw new Failure('exited-early', 'it ended')
      },
    }
    await using daemon = await start([east], [sameAs(east, 'west')])
    isFailing = true
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    await daemon.pass()
    await reaches(daemon, () => !isFailing)
    await daemon.pass()
    const made = () => memory.done.filter(step => step.startsWith('create-container')).length
    const before = made()
    daemon.adopt([at('west', 'unix:///run/east.sock')])
    await daemon.pass()
    await reaches(daemon, () => told(daemon).some(one => one.startsWith('west')) || made() > before)
    expect(told(daemon)).to.deep.equal(['west/web/web quarantined'])
    expect(made()).to.equal(before)
  })

  it('G5 G17 A25 does not try again under another name what fails there once it has that', async () => {
    const { engine: east, memory, begun, still, fail } = failing('east')
    await using daemon = await start([east], [sameAs(east, 'west')])
    fail()
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    const loop = daemon.control.running[0]?.loop
    loop?.request('command')
    await begun
    daemon.adopt([at('west', 'unix:///run/east.sock')])
    loop?.request('command')
    await waitUntil('it has its new name', () => loop?.sites().has('west'))
    still()
    await daemon.pass()
    await reaches(daemon, () => told(daemon).length > 0 || runningOn(memory).join() === 'web:2')
    expect(told(daemon)).to.deep.equal(['west/web/web quarantined'])
    expect(runningOn(memory)).to.deep.equal(['web:1'])
    const { journal } = daemon
    expect([journal.quarantined('prod', 'east'), journal.keptSites('prod')]).to.deep.equal([[], ['west']])
  })

  it('G17 G25 A25 goes on under its new name if the journal is busy just as its change ends', async () => {
    const { engine: east, memory, begun, still, fail } = failing('east')
    const journal = memoryJournal()
    const refused = Promise.withResolvers<void>()
    let isBusy = false
    const busy: Journal = {
      ...journal,
      servedEngines(environment) {
        if (!isBusy) return journal.servedEngines(environment)
        isBusy = false
        refused.resolve()
        throw new Failure('journal-busy', 'another process holds it')
      },
    }
    await using daemon = await start([east], [sameAs(east, 'west')], busy)
    fail()
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    const loop = daemon.control.running[0]?.loop
    loop?.request('command')
    await begun
    daemon.adopt([at('west', 'unix:///run/east.sock')])
    loop?.request('command')
    await waitUntil('it has its new name', () => loop?.sites().has('west'))
    isBusy = true
    still()
    await refused.promise
    await reaches(daemon, () => told(daemon).length > 0 || runningOn(memory).join() === 'web:2')
    expect(told(daemon)).to.deep.equal(['west/web/web quarantined'])
    expect(runningOn(memory)).to.deep.equal(['web:1'])
  })

  it('G17 A25 waits for what it does under its old name if it gets the new one while others are asked who they are', async () => {
    const { engine: east, memory, begun, still, fail } = failing('east')
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const other = store('other')
    const slow: MemoryEngine = {
      ...other,
      async info(signal) {
        asked.resolve()
        await answer.promise
        return other.info(signal)
      },
    }
    let isHeld = true
    const early: string[] = []
    const west = sameAs(east, 'west')
    const next: MemoryEngine = {
      ...west,
      observe(...how) {
        if (isHeld) early.push('west')
        return west.observe(...how)
      },
    }
    await using daemon = await start([east, store('far')], [slow, next])
    fail()
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    const loop = daemon.control.running[0]?.loop
    loop?.request('command')
    await begun
    daemon.adopt([at('east'), at('far'), at('other')])
    loop?.request('command')
    await asked.promise
    daemon.adopt([at('west', 'unix:///run/east.sock'), at('far'), at('other')])
    answer.resolve()
    await waitUntil('it has its new name', () => loop?.sites().has('west'))
    await waitUntil('the other one is brought up to date', () => runningOn(other).join() === 'web:2')
    const isLeft = loop?.sites().has('east') === false
    isHeld = false
    still()
    expect([early, isLeft]).to.deep.equal([[], true])
    await daemon.pass()
    await reaches(daemon, () => told(daemon).length > 0 || runningOn(memory).join() === 'web:2')
    expect(told(daemon)).to.deep.equal(['west/web/web quarantined'])
    expect(runningOn(memory)).to.deep.equal(['web:1'])
  })

  it('G17 is forgotten once it went and what it was doing has ended', async () => {
    const [memory, west] = [store('east'), store('west')]
    const [begun, still] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let isHeld = false
    const east: MemoryEngine = {
      ...memory,
      async execute(step, ...how) {
        if (isHeld && step.do === 'create-container') {
          begun.resolve()
          await still.promise
        }
        return memory.execute(step, ...how)
      },
    }
    await using daemon = await start([east, west])
    isHeld = true
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    const loop = daemon.control.running[0]?.loop
    loop?.request('command')
    await begun.promise
    daemon.adopt([at('west')])
    loop?.request('command')
    await waitUntil('its loop is told to end', () => loop?.sites().has('east') === false)
    still.resolve()
    const { journal } = daemon
    await waitUntil('its pass has ended', () =>
      journal.log({ limit: 10 }).some(({ site, outcome }) => site === 'east' && outcome === 'interrupted'),
    )
    await waitUntil('it is forgotten', () => journal.keptSites('prod').join() === 'west')
  })

  it('G5 A25 keeps what has failed there with the engine, where two sites exchange their endpoints', async () => {
    const [first, west] = [store('east'), store('west')]
    let isFailing = false
    const east: MemoryEngine = {
      ...first,
      async execute(step, ...how) {
        if (step.do !== 'await-healthy' || !isFailing) return first.execute(step, ...how)
        isFailing = false
        throw new Failure('exited-early', 'it ended')
      },
    }
    await using daemon = await start([east, west], [sameAs(west, 'east'), sameAs(east, 'west')])
    isFailing = true
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }), '2'.repeat(40))
    await daemon.pass()
    await reaches(daemon, () => runningOn(west).join() === 'web:2' && told(daemon).length > 0)
    daemon.adopt([at('east', 'unix:///run/west.sock'), at('west', 'unix:///run/east.sock')])
    await daemon.pass()
    const isTold = () => told(daemon).some(one => one.startsWith('west'))
    await reaches(daemon, () => isTold() || runningOn(first).join() === 'web:2')
    expect(told(daemon)).to.deep.equal(['west/web/web quarantined'])
    expect([runningOn(first), runningOn(west)]).to.deep.equal([['web:1'], ['web:2']])
  })

  it('G17 is left alone once it went, with what runs there', async () => {
    const [east, west] = [store('east'), store('west')]
    await using daemon = await start([east, west])
    daemon.adopt([at('east')])
    await daemon.pass()
    const done = west.done.length
    west.happen()
    daemon.commit(manifestOf('prod', { web: '2' }, { skipConfirmation: true }))
    await daemon.pass()
    await reaches(daemon, () => runningOn(east).join() === 'web:2')
    expect([runningOn(west), west.done.length]).to.deep.equal([['web:1'], done])
    expect(
      daemon.results().flatMap(({ site, parts = [] }) => [site, ...parts.map(part => part.site)]),
    ).not.to.include('west')
    expect(
      (await daemon.ask('GET /api/v1/sites')).map(({ name, state }: { name: string; state: string }) => [
        name,
        state,
      ]),
    ).to.deep.equal([
      ['east', 'reachable'],
      ['west', 'removed'],
    ])
  })

  it('G17 D17 ends the step that runs before anything is done by way of its new address', async () => {
    const still = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = store('east')
    const old = {
      ...first,
      async execute(...given: Parameters<typeof first.execute>) {
        begun.resolve()
        await still.promise
        return first.execute(...given)
      },
    }
    const seen: string[] = []
    const next: MemoryEngine = {
      ...first,
      observe(...given) {
        seen.push('observe')
        return first.observe(...given)
      },
    }
    const sites = [at('east')]
    await using daemon = await memoryDaemon({
      ...{ environments: ['prod'], files, engines: [old], later: [next], config: { sites } },
    })
    await begun.promise
    daemon.adopt([at('east', 'unix:///run/other.sock')])
    const loop = daemon.control.running[0]?.loop
    loop?.request('command')
    await waitUntil('the former loop is told to end', () => loop?.sites().get('east')?.running === undefined)
    expect(seen).to.deep.equal([])
    still.resolve()
    await daemon.pass()
    await reaches(daemon, () => runningOn(first).join() === 'web:1')
    expect(seen).to.include('observe')
  })
})

function store(site: string, id = site): MemoryEngine {
  const engine = memoryEngine({ site, distribution: everyImage })
  return { ...engine, info: async signal => ({ ...(await engine.info(signal)), id }) }
}

/** An engine on which, once it is told to, a container is not created before it is let go on, and then fails. */
function failing(site: string) {
  const memory = store(site)
  const [begun, still] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFailing = false
  const engine: MemoryEngine = {
    ...memory,
    async execute(step, ...how) {
      if (step.do !== 'create-container' || !isFailing) return memory.execute(step, ...how)
      begun.resolve()
      await still.promise
      throw new Failure('exited-early', 'it ended')
    },
  }
  return {
    ...{ engine, memory, begun: begun.promise },
    fail() {
      isFailing = true
    },
    /** Lets that fail which is being created, and nothing after it. */
    still() {
      isFailing = false
      still.resolve()
    },
  }
}

/** What is wrong on the sites. */
function told(daemon: MemoryDaemon): readonly string[] {
  return daemon.results().flatMap(({ errors }) => errors.map(one => `${one.resource} ${one.code}`))
}

/** The same engine as another site. */
function sameAs(engine: MemoryEngine, site: string): MemoryEngine {
  return { ...engine, site, observe: async (...asked) => ({ ...(await engine.observe(...asked)), site }) }
}

function isWaitingOn(daemon: MemoryDaemon, site: string): boolean {
  return daemon
    .results()
    .flatMap(result => result.parts ?? [result])
    .some(part => part.site === site && part.outcome === 'needs-confirmation')
}

/** A daemon whose sites run `web:1` already. */
async function start(
  engines: readonly MemoryEngine[],
  later: readonly MemoryEngine[] = [],
  journal: Journal = memoryJournal(),
) {
  const sites = engines.map(({ site }) => at(site))
  const daemon = await memoryDaemon({
    environments: ['prod'],
    files,
    engines,
    later,
    journal,
    config: { sites },
  })
  await reaches(daemon, () => engines.every(one => runningOn(one).join() === 'web:1'))
  return daemon
}

/** Waits until something is so after the end of a pass. */
async function reaches(daemon: MemoryDaemon, isSo: () => boolean): Promise<void> {
  await daemon.control.running[0]?.ends.until(isSo, unlessItHangs())
}
