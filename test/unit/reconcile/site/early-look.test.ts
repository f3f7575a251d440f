import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { lookEarly, lookNow } from '../../../../lib/reconcile/site/early-look.ts'
import { createSiteMemory } from '../../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { desired } from '../../../support/builders/builders.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const prod = desired({ name: 'web' })

/** How often a site is asked by a look that begins early, and by the pass that comes so many ms later. */
async function asked(laterMs: number, scope = prod): Promise<number> {
  let [count, nowMs] = [0, 0]
  const engine: Engine = {
    ...memoryEngine(),
    async observe() {
      count += 1
      return { site: 'local', containers: [] }
    },
  }
  const world = { nowMs: () => nowMs, steadyMs: () => nowMs } as World
  const site = { world, engine, memory: createSiteMemory() }
  const early = lookEarly(site, prod, signal)
  nowMs = laterMs
  await lookNow(site, early, scope, signal)
  return count
}

describe('a look at a site that was begun before its pass', () => {
  it('G2 G17 counts for a second, because a git server may take as long as it likes', async () => {
    expect([await asked(0), await asked(1_000), await asked(1_001)]).to.deep.equal([1, 1, 2])
  })

  it('G2 D17 counts for no other environment, and for none of another repository', async () => {
    for (const other of [{ environment: 'staging' }, { source: 'https://git.example.com/ops/other' }])
      expect(await asked(0, { ...prod, ...other })).to.equal(2)
  })
})
