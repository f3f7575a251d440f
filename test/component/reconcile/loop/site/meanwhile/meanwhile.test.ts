import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '../../../../../../lib/engine.ts'
import type { Change, Delivery } from '../../../../../../lib/plan/change/change.ts'
import { seeTo } from '../../../../../../lib/reconcile/loop/site/meanwhile/meanwhile.ts'
import { desiredState } from '../../../../../../lib/reconcile/repository/desired.ts'
import { pass } from '../../../../../../lib/reconcile/site/pass.ts'
import { sitesOf } from '../../../../../../lib/reconcile/site/site.ts'
import { linkedAbort } from '../../../../../../lib/wait/linked-abort.ts'
import { change } from '../../../../../support/builders/builders.ts'
import { everyImage, manifestOf, memoryWorlds } from '../../../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../../../support/memory/memory-engine.ts'

const { signal } = new AbortController()
const other = change({ application: 'other', service: 'other' })
const web = (parts: Partial<Delivery>) => change({ application: 'web', service: 'web', ...parts })

/** How often a site is looked at because a change ended there while another one goes on. */
async function looksAfter(ended: Change, isApplied: boolean): Promise<number> {
  let looks = 0
  const memory = memoryEngine({ distribution: everyImage })
  const engine: Engine = {
    ...memory,
    observe: async (...asked) => {
      looks += 1
      return memory.observe(...asked)
    },
  }
  const { worlds } = memoryWorlds({ files: manifestOf('prod', { web: '1', other: '1' }), engine })
  const [world] = worlds
  const [site] = world === undefined ? [] : sitesOf(world)
  if (world === undefined || site === undefined) throw new Error('there is one')
  const wanted = await desiredState(world, { maxAgeMs: 0, lastGood: true }, signal)
  const found = await pass(site, wanted, { trigger: 'news', until: 'plan' }, signal)
  looks = 0
  using superseding = linkedAbort(signal)
  const seen = seeTo(site, wanted, {
    ...{
      changes: [ended, other],
      passId: undefined,
      standing: () => found,
      isTold: false,
      spared: undefined,
    },
    ...{
      superseding,
      signal,
      settleMs: 0,
      random: () => 0.5,
      note: () => undefined,
      onEvent: () => undefined,
    },
    onBeside: () => undefined,
    onStanding: () => undefined,
  })
  seen.ended(ended, isApplied)
  for (let count = 0; count < 50; count += 1) await turn()
  await seen.end()
  return looks
}

describe('a change that ends while a pass changes something else on the site', () => {
  const walk = { from: '1', by: ['2', '3'], later: [] } as const

  it('G13 X18 has the site looked at where it failed, or the next version on its way comes after it, and else not', async () => {
    expect(await looksAfter(web({}), true)).to.equal(0)
    expect(await looksAfter(web({}), false)).to.equal(1)
    expect(await looksAfter(web({ walk }), true)).to.equal(1)
    expect(await looksAfter(web({ walk: { ...walk, by: ['2'] } }), true)).to.equal(0)
  })
})
