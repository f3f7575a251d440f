import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { everyImage, type MemoryDaemon, manifestOf, memoryDaemon } from '../../../support/memory-daemon.ts'
import { type MemoryEngine, memoryEngine, runningOn } from '../../../support/memory-engine.ts'
import { waitUntil } from '../../../support/wait-until.ts'

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
    const told = () =>
      daemon.results().flatMap(({ errors }) => errors.map(one => `${one.resource} ${one.code}`))
    await daemon.pass()
    await reaches(daemon, () => told().some(one => one.startsWith('west')) || made() > before)
    expect(told()).to.deep.equal(['west/web/web quarantined'])
    expect(made()).to.equal(before)
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
async function start(engines: readonly MemoryEngine[], later: readonly MemoryEngine[] = []) {
  const sites = engines.map(({ site }) => at(site))
  const daemon = await memoryDaemon({ environments: ['prod'], files, engines, later, config: { sites } })
  await reaches(daemon, () => engines.every(one => runningOn(one).join() === 'web:1'))
  return daemon
}

/** Waits until something is so after the end of a pass. */
async function reaches(daemon: MemoryDaemon, isSo: () => boolean): Promise<void> {
  await daemon.control.running[0]?.ends.until(isSo, AbortSignal.timeout(10_000))
}
