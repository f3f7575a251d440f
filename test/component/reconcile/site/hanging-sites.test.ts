import { expect } from 'chai'
import type { Engine } from '../../../../lib/engine.ts'
import type { Step } from '../../../../lib/plan/step/step.ts'
import { createPools, limitsOfPools, type Pools } from '../../../../lib/reconcile/concurrency/pools.ts'
import { everyImage, manifestOf, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { type MemoryEngine, memoryEngine } from '../../../support/memory/memory-engine.ts'
import { waitUntil } from '../../../support/time/wait-until.ts'

/** A queue with two places of one kind, which are lost after a millisecond. */
function twoPlaces(kind: keyof Pools): Pools {
  const few = { most: 2, perSite: 2, patienceMs: 1, slow: 1 }
  return createPools({ ...limitsOfPools, [kind]: few })
}

/** Never answers, until the daemon stops. */
const never = (over: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const end = () => reject(over.reason)
    if (over.aborted) end()
    else over.addEventListener('abort', end, { once: true })
  })

const hangs: Readonly<
  Record<Exclude<keyof Pools, 'ask'>, (engine: MemoryEngine, over: AbortSignal) => Engine>
> = {
  look: (engine, over) => ({ ...engine, observe: () => never(over) }),
  pull: (engine, over) => hangingAt('pull-image', engine, over),
  call: (engine, over) => hangingAt('create-container', engine, over),
}

function hangingAt(step: Step['do'], engine: MemoryEngine, over: AbortSignal): Engine {
  return {
    ...engine,
    execute: (...asked) => (asked[0].do === step ? never(over) : engine.execute(...asked)),
  }
}

describe('as many hanging sites as there are places', () => {
  for (const [kind, hang] of [
    ['look', hangs.look],
    ['pull', hangs.pull],
    ['call', hangs.call],
  ] as const)
    it(`G17 leave the next site its turn: they hang at a ${kind}`, async () => {
      const over = new AbortController()
      const sites = ['east', 'west', 'north'].map(site => memoryEngine({ distribution: everyImage, site }))
      const [, , good] = sites
      const engines = sites.map(engine => (engine === good ? engine : hang(engine, over.signal)))
      await using stack = new AsyncDisposableStack()
      stack.use(
        await memoryDaemon({
          environments: ['prod'],
          files: manifestOf('prod', { web: '1', db: '1' }, { skipConfirmation: true }),
          engines,
          pools: twoPlaces(kind),
          config: { sites: sites.map(({ site }) => ({ name: site, endpoint: `unix:///run/${site}.sock` })) },
        }),
      )
      stack.defer(() => over.abort(new Error('over')))
      await waitUntil('it is deployed', () => good?.has().containers.size === 2)
      expect(sites.slice(0, 2).flatMap(({ has }) => [...has().containers.keys()])).to.deep.equal([])
    })
})
