import { expect } from 'chai'
import type { Engine } from '../../../lib/engine.ts'
import { stateOfControlled } from '../../../lib/http/environments.ts'
import type { Loop } from '../../../lib/reconcile/loop/loop.ts'
import { createPassEnds } from '../../../lib/reconcile/loop/pass-ends.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { identity } from '../../support/builders/builders.ts'
import { memoryEngine } from '../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'

describe('the last known state of many sites', () => {
  it('G17 is read of no more than a hundred of them in one turn of the event loop', async () => {
    for (const [size, pieces] of [
      [100, [101]],
      [1_000, [100, 100, 100, 100, 100, 100, 100, 100, 100, 101]],
    ] as const) {
      const scene = stores(size)
      await stateOfControlled(scene.controlled)
      // The last one is read together with what is known of the environment as a whole.
      expect(scene.reads()).to.deep.equal(pieces)
    }
  })

  it('G13 has what passes have found meanwhile, and of the sites those that there are in the end', async () => {
    const scene = stores(150)
    scene.between(() => {
      scene.found('store-000', '2', { passId: 2 })
      scene.found('store-149', '2', { passId: 2 })
      scene.gone('store-001')
      scene.found('store-150', '2', { passId: 2 })
    })
    const { state } = await stateOfControlled(scene.controlled)
    const told = new Map(state?.applications.map(({ site, version }) => [site, version]))
    expect(told.size).to.equal(150)
    expect(
      ['store-000', 'store-001', 'store-002', 'store-149', 'store-150'].map(site => told.get(site)),
    ).to.deep.equal(['2', undefined, '1', '2', '2'])
    expect([...scene.reads().slice(1)]).to.deep.equal([50 + 1 + 1 + 1])
  })
})

/** So many sites that the journal knows, over each of which one pass was made. */
function stores(size: number) {
  const journal = memoryJournal()
  const engines = new Map<string, Engine>()
  const lasts = new Map<string, PassResult>()
  const reads = [0]
  const memory = createMemory()
  memory.names.setIdentity(identity('prod'))
  let meanwhile = () => {}
  const found = (site: string, version: string, more: Pick<PassResult, 'passId'> = { passId: 1 }) => {
    const said = { outcome: 'in-sync', sync: 'Synced', errors: [] } as const
    const status = { site, application: 'web', sync: 'Synced', health: 'Healthy', version } as const
    const seen = { ...status, running: 1, wanted: 1, commit: 'c1', reason: '' }
    engines.set(site, engines.get(site) ?? memoryEngine({ site }))
    lasts.set(site, { ...said, ...more, site, waiting: [], results: [], status: [seen] })
    journal.keepState('prod', site, { ...said, isSeen: true, applications: [seen] }, 1_000)
  }
  for (let index = 0; index < size; index += 1) found(`store-${String(index).padStart(3, '0')}`, '1')
  const world: Partial<World> = {
    environment: 'prod',
    memory,
    journal: {
      ...journal,
      keptState(environment, site) {
        reads.push((reads.pop() ?? 0) + 1)
        return journal.keptState(environment, site)
      },
      keptStates() {
        throw new Error('the states of all sites are read at once')
      },
    },
    pacing: {
      begin: async () => undefined,
      hear: async () => undefined,
      goOn: async () => undefined,
      async tell() {
        reads.push(0)
        meanwhile()
      },
    },
    get engines() {
      return [...engines.values()]
    },
  }
  const loop: Partial<Loop> = {
    desired: () => undefined,
    site: name => {
      const last = lasts.get(name)
      return last && { last, lastEndedMs: 1_000, look: 1 }
    },
    looks: () => ({ lookingSinceMs: undefined, nextMs: undefined, unread: undefined }),
  }
  return {
    controlled: { world: world as World, loop: loop as Loop, ends: createPassEnds() },
    found,
    gone(site: string) {
      engines.delete(site)
      lasts.delete(site)
      journal.forgetSite('prod', site)
    },
    /** Does something once between two pieces. */
    between(once: () => void) {
      meanwhile = () => {
        meanwhile = () => {}
        once()
      }
    },
    /** How many states were read in each turn of the event loop. */
    reads: () => reads,
  }
}
