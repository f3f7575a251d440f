import { expect } from 'chai'
import { progress } from '../../../lib/http/progress.ts'
import type { Loop } from '../../../lib/reconcile/loop/loop.ts'
import { createPassEnds } from '../../../lib/reconcile/loop/pass-ends.ts'
import { createMemory } from '../../../lib/reconcile/memory.ts'
import type { PassResult } from '../../../lib/reconcile/site/result/pass-result.ts'
import type { World } from '../../../lib/reconcile/world.ts'
import { identity } from '../../support/builders/builders.ts'
import { memoryJournal } from '../../support/memory/memory-journal.ts'
import { inPassingTime } from '../../support/time/passing-time.ts'

describe('a plan of many sites that is followed', () => {
  it('G17 has each of them looked at few times, however many passes end meanwhile', async () => {
    for (const size of [20, 200]) {
      const { looks, outcome } = await followedOver(size)
      expect(outcome).to.equal('applied')
      expect(looks / size).to.be.below(10)
    }
  })

  it('G17 has what was approved read once for all the questions after it', async () => {
    const scene = stores(20)
    for (let count = 0; count < 3; count += 1) {
      await inPassingTime(() => {
        const asked = scene.follow()
        scene.ends.tell(scene.result('store-0', 'applied'))
        return asked
      })
    }
    expect(scene.reads()).to.equal(1)
  })
})

async function followedOver(size: number) {
  const scene = stores(size)
  const asked = scene.follow()
  for (const site of scene.names) {
    scene.settled.add(site)
    scene.ends.tell(scene.result(site, 'applied'))
  }
  const { ended } = await asked
  return { looks: scene.looks(), outcome: ended?.outcome }
}

/** So many sites with a plan that was approved, none of which has dealt with that yet. */
function stores(size: number) {
  const names = Array.from({ length: size }, (_, index) => `store-${index}`)
  const kept = memoryJournal()
  const ends = createPassEnds()
  const memory = createMemory()
  memory.names.setIdentity(identity('prod'))
  const settled = new Set<string>()
  let [looks, reads] = [0, 0]
  const parts = names.map(site => ({ site, planId: `plan of ${site}`, commit: 'c1', items: [] }))
  const said = { environment: 'prod', planId: 'all', commit: 'c1', who: 'ann', via: 'control' } as const
  kept.approve({ ...said, parts, atMs: 1_000, expiresAtMs: 9_000 })
  const journal = {
    ...kept,
    sitePlans(environment: string, planId: string) {
      reads += 1
      return kept.sitePlans(environment, planId)
    },
  }
  const result = (site: string, outcome: PassResult['outcome']): PassResult => ({
    ...{ site, outcome, sync: 'Synced', errors: [], waiting: [], results: [], status: [] },
  })
  const world: Partial<World> = { environment: 'prod', memory, journal }
  const loop: Partial<Loop> = {
    desired: () => undefined,
    isSettled(_, only = []) {
      looks += only.length
      return only.every(site => settled.has(site))
    },
    sites() {
      looks += size
      return new Map(names.map(site => [site, { look: 0 }]))
    },
    site() {
      looks += 1
      return { look: 0 }
    },
    state() {
      const all = names.map(site => result(site, 'applied'))
      return { unverified: [], reached: [], tries: [], last: { ...result('', 'applied'), parts: all } }
    },
  }
  const running = [{ world: world as World, loop: loop as Loop, ends }]
  return {
    ...{ names, ends, settled, result },
    follow: () =>
      progress(
        { running, journal, nowMs: () => 2_000 },
        { environment: 'prod', plan: 'all', from: '0', look: '1', after: '0' },
      ),
    /** How often the state of a site was looked at. */
    looks: () => looks,
    /** How often the plans of all sites were read. */
    reads: () => reads,
  }
}
