import { expect } from 'chai'
import type { ChangeResult } from '../../../lib/apply/apply.ts'
import type { Change } from '../../../lib/plan/change.ts'
import type { Decision } from '../../../lib/reconcile/decide.ts'
import { resultOf } from '../../../lib/reconcile/pass-result.ts'
import { change, desired, live } from '../../support/builders.ts'
import { planOf } from '../../support/planning.ts'

/** What a pass says of sync that did these changes, and would have had others. */
function syncAfter(done: readonly Change[], stuck: readonly Change[]): string {
  const state = desired({ tag: '2' })
  const plan = { ...planOf({ desired: state, live: live(state), applied: state }), changes: done }
  const decision: Decision = { plan, diffs: [], stuck, keeping: () => Promise.resolve(decision) }
  const results = done.map((one): ChangeResult => ({ change: one, result: 'applied' }))
  const verdict = { go: done, wait: [], declined: [], skipped: [] }
  const found = {
    desired: state,
    seen: { sites: [], unreachable: [] },
    decision,
    verdict,
    troubles: () => [],
  }
  return resultOf(found, 'applied', results, undefined).sync
}

describe('the result of a pass', () => {
  it('G7 is in sync once all that differed is done', () => {
    expect(syncAfter([change()], [])).to.equal('Synced')
  })

  it('G6 G7 is not in sync where what ran before was put back, or kept in place of what is wanted', () => {
    expect(syncAfter([change({ cause: 'drifted', target: 'before target-2' })], [])).to.equal('OutOfSync')
    const held = change({ held: { code: 'quarantined', reason: 'failed before' } })
    expect(syncAfter([change({ cause: 'drifted', target: 'target-1' })], [held])).to.equal('OutOfSync')
  })
})
