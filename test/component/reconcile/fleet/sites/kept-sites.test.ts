import { expect } from 'chai'
import { advanceAll } from '../../../../../lib/reconcile/fleet/advance-all.ts'
import { readKeptSites } from '../../../../../lib/reconcile/fleet/sites/kept-sites.ts'
import { followDeployments } from '../../../../../lib/reconcile/loop/deployments.ts'
import { desiredState } from '../../../../../lib/reconcile/repository/desired.ts'
import type { DesiredState } from '../../../../../lib/state/application/desired.ts'
import { everyImage, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../../support/memory/memory-journal.ts'
import { filesOf } from '../scene.ts'

const { signal } = new AbortController()

describe('what a journal has of sites that nobody has seen since the start', () => {
  it('A34 is read once of each, however often deployments are looked at while not all were asked', async () => {
    for (const size of [20, 200]) {
      const scene = await startedOver(size)
      const { advance, end } = followDeployments(
        scene.world,
        () => 0,
        () => {},
      )
      const desired = await scene.look('2')
      for (let count = 0; count < 10; count += 1) advance(desired)
      end()
      expect(scene.reads()).to.equal(size)
      expect(scene.reached()).to.equal(0)
    }
  })

  it('G17 is read of no more than a hundred of them in one turn of the event loop before deployments are looked at', async () => {
    const scene = await startedOver(250)
    const desired = await scene.look('1')
    const pieces: number[] = []
    const goOn = async () => void pieces.push(scene.reads())
    Object.assign(scene.world, { pacing: { ...scene.world.pacing, goOn } })
    await readKeptSites(scene.world, desired)
    advanceAll(scene.world, desired, 'watch')
    expect([...pieces, scene.reads()]).to.deep.equal([100, 200, 250])
    expect(scene.reached()).to.equal(250)
  })

  it('A12 is read again for another commit', async () => {
    const scene = await startedOver(20)
    const before = await scene.look('2')
    advanceAll(scene.world, before, 'watch')
    const now = await scene.look('1')
    for (let count = 0; count < 10; count += 1) advanceAll(scene.world, now, 'watch')
    expect(scene.reads()).to.equal(2 * 20)
    expect(scene.reached()).to.equal(20)
  })
})

/** The journal of a process that brought version 1 to so many sites, and a world that has asked none of them yet. */
async function startedOver(size: number) {
  const engines = Array.from({ length: size }, (_, index) =>
    memoryEngine({ site: `store-${index}`, distribution: everyImage }),
  )
  const journal = memoryJournal()
  let reads = 0
  const { worlds, commit } = memoryWorlds({
    environments: ['prod'],
    files: filesOf('1', 'deploy-to-sites: {sites-in-parallel: 5}'),
    engines,
    journal: {
      ...journal,
      keptState(environment, site) {
        reads += 1
        return journal.keptState(environment, site)
      },
      keptStates() {
        throw new Error('the states of all sites are read at once')
      },
    },
    config: {
      sites: engines.map(({ site }) => ({
        name: site,
        endpoint: `unix:///run/${site}.sock`,
        labels: { 'system/type': 'edge' },
      })),
    },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  for (const { site } of engines) {
    const seen = { site, application: 'shop', sync: 'Synced', health: 'Healthy', version: '1', running: 1 }
    journal.keepState(
      'prod',
      site,
      { outcome: 'in-sync', sync: 'Synced', errors: [], applications: [seen] },
      1_000,
    )
  }
  let commits = 1
  return {
    world,
    async look(version: string): Promise<DesiredState> {
      commits += 1
      commit(filesOf(version, 'deploy-to-sites: {sites-in-parallel: 5}'), String(commits).repeat(40))
      return (await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)).desired
    },
    /** How many states were read. */
    reads: () => reads,
    /** How many sites have the version that is wanted, or had it when its run would have begun. */
    reached: () => {
      const { reached, had } = world.memory.fleet.turns.all()[0]?.run?.stand ?? {}
      return (reached?.size ?? 0) + (had?.size ?? 0)
    },
  }
}
