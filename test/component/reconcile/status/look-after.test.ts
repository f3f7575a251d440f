import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { createMemory } from '../../../../lib/reconcile/memory.ts'
import { round } from '../../../../lib/reconcile/round.ts'
import type { PassResult } from '../../../../lib/reconcile/site/result/pass-result.ts'
import { keptTogether } from '../../../../lib/reconcile/status/last-state.ts'
import { lookAfter } from '../../../../lib/reconcile/status/look-after.ts'
import type { World } from '../../../../lib/reconcile/world.ts'
import { manifestOf, memoryWorlds } from '../../../support/memory/memory-daemon.ts'

const { signal } = new AbortController()
const freshness = { maxAgeMs: 0, lastGood: false }

/** A world over one service that runs, how the pass ended that brought it up, and how often its engine was looked at. */
async function applied(): Promise<{ world: World; result: PassResult; looks: () => number }> {
  const files = manifestOf('prod', { web: '1' }, { skipConfirmation: true })
  const [given] = memoryWorlds({ files }).worlds
  if (given === undefined) throw new Error('there is one')
  let looks = 0
  const engines = given.engines.map(engine => ({
    ...engine,
    observe: async (...asked: Parameters<typeof engine.observe>) => {
      looks += 1
      return engine.observe(...asked)
    },
  }))
  const world = { ...given, engines }
  const result = await round(world, { trigger: 'command', until: 'apply', freshness }, signal)
  looks = 0
  return { world, result, looks: () => looks }
}

describe('the look at what runs after a single pass', () => {
  it('G13 keeps what runs now, and how the pass ended that changed it', async () => {
    const { world, result } = await applied()
    const seen = () => keptTogether(world.journal, 'prod').state
    expect(seen()?.applications.map(({ health }) => health)).to.deep.equal(['Missing'])
    const errors = [{ code: 'unhealthy', message: 'web is slow', hint: '', retry: 'never' as const }]
    await lookAfter(world, { ...result, outcome: 'partially-applied', errors }, new Map(), signal)
    const { outcome, sync, applications, errors: told } = seen() ?? {}
    expect({ outcome, sync, told, health: applications?.map(({ health }) => health) }).to.deep.equal({
      outcome: 'partially-applied',
      sync: 'Synced',
      told: errors,
      health: ['Healthy'],
    })
  })

  it('G21 is spared where the pass changed nothing: it saw what runs itself', async () => {
    const { world, result, looks } = await applied()
    await lookAfter(world, { ...result, results: [] }, new Map(), signal)
    expect(looks()).to.equal(0)
    await lookAfter(world, result, new Map(), signal)
    expect(looks()).to.equal(1)
  })

  it('G13 keeps what is known where it comes to no plan', async () => {
    const { world, result } = await applied()
    const before = world.journal.keptStates('prod')
    const lookUp = async () => {
      throw new Failure('manifest-invalid', 'the manifest is broken')
    }
    const broken = { ...world, source: { ...world.source, lookUp }, memory: createMemory() }
    await lookAfter(broken, result, new Map(), signal)
    expect(world.journal.keptStates('prod')).to.deep.equal(before)
  })
})
