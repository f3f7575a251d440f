import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import { Failure } from '../../../../lib/errors.ts'
import { observeSite } from '../../../../lib/reconcile/site/observe.ts'
import { createSiteMemory } from '../../../../lib/reconcile/site/site-memory.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { desired } from '../../../support/builders/builders.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const scope = desired({ name: 'web' })

function look(engine: Engine) {
  return observeSite(
    { world: { nowMs: () => 5 } as World, engine, memory: createSiteMemory() },
    scope,
    signal,
  )
}

describe('observing a site', () => {
  it('D17 asks for what is of this environment and this repository, until the pass is told to stop', async () => {
    const given: unknown[] = []
    const engine: Engine = {
      ...memoryEngine(),
      observe: async (...all) => {
        given.push(...all)
        return { site: 'local', containers: [] }
      },
    }
    expect(await look(engine)).to.deep.equal({
      site: 'local',
      live: { site: 'local', containers: [] },
      atMs: 5,
    })
    expect(given).to.deep.equal([scope, signal])
  })

  it('G4 G17 tells why a site does not answer, whatever its answer was', async () => {
    for (const [reason, code] of [
      [new Failure('engine-unreachable', 'store-1: nobody answers'), 'engine-unreachable'],
      [new TypeError('x is not a function'), 'internal'],
    ] as const) {
      const seen = await look({ ...memoryEngine({ site: 'store-1' }), observe: () => Promise.reject(reason) })
      expect(seen.site).to.equal('store-1')
      expect('failure' in seen && seen.failure.code).to.equal(code)
    }
  })
})
