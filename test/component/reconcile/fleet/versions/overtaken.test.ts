import { expect } from 'chai'
import { advanceAll } from '../../../../../lib/reconcile/fleet/advance-all.ts'
import { desiredState, type Wanted } from '../../../../../lib/reconcile/repository/desired.ts'
import { pass } from '../../../../../lib/reconcile/site/pass.ts'
import { sitesOf } from '../../../../../lib/reconcile/site/site.ts'
import type { World } from '../../../../../lib/reconcile/world.ts'
import type { RunFact } from '../../../../../lib/state/fleet/run.ts'
import { everyImage, memoryWorlds } from '../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../support/memory/memory-engine.ts'
import { filesOf } from '../scene.ts'

const { signal } = new AbortController()
const oneByOne = 'deploy-to-sites: {sites-in-parallel: 1}'
const request = { trigger: 'poll', until: 'apply' } as const

/** Two sites, to which a deployment brings version 1, one after the other. */
async function scene() {
  const engines = ['a', 'b'].map(site => memoryEngine({ site, distribution: everyImage }))
  const sites = engines.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` }))
  const { worlds, commit, journal } = memoryWorlds({
    environments: ['prod'],
    files: filesOf('1', oneByOne),
    engines,
    config: { sites },
  })
  const [world] = worlds
  if (world === undefined) throw new Error('there is one')
  for (const { name } of sites) world.memory.whose.set(name, 'ours')
  const wanted = await lookAt(world)
  return { world, wanted, engines, commit, journal }
}

async function lookAt(world: World): Promise<Wanted> {
  const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
  advanceAll(world, wanted.desired, 'step')
  return wanted
}

/** Makes a pass over each site. While they wait for their turns, something happens. */
async function passesWhile(world: World, wanted: Wanted, happens: () => unknown) {
  const happened = Promise.resolve().then(happens)
  const begin = async () => void (await happened)
  const waiting: World = Object.assign(Object.create(world), { pacing: { ...world.pacing, begin } })
  const sites = sitesOf(world).map(site => ({ ...site, world: waiting }))
  const results = await Promise.all(sites.map(site => pass(site, wanted, request, signal)))
  return results.map(({ outcome }) => outcome).sort()
}

describe('a pass that has waited for its turn', () => {
  it('A32 brings no version to a site that was not drawn for it, although a newer one is wanted by now', async () => {
    const { world, wanted, commit, engines } = await scene()
    const { awaited: drawn } = world.memory.fleet.turns.onSite('a')
    const other = engines[drawn.size === 0 ? 1 : 0]
    await passesWhile(world, wanted, async () => {
      commit(filesOf('2', oneByOne))
      await lookAt(world)
    })
    expect(other?.done).to.deep.equal([])
  })

  it('A33 brings no version to a site whose deployment has ended by now', async () => {
    const { world, wanted, journal, engines } = await scene()
    const outcomes = await passesWhile(world, wanted, () => {
      const run = journal.run('prod', 'shop')
      const failed: RunFact = { kind: 'failed', atMs: 0, site: 'b', reason: 'it crashed' }
      if (run !== undefined) journal.addFact(run.id, failed)
      advanceAll(world, wanted.desired, 'step')
    })
    expect(outcomes).to.deep.equal(['in-sync', 'superseded'])
    expect(engines.flatMap(({ done }) => done)).to.deep.equal([])
  })
})
