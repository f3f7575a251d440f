import { expect } from 'chai'
import type { ChangeResult } from '../../../../../lib/apply/apply.ts'
import { Failure } from '../../../../../lib/errors.ts'
import type { Change, Plan } from '../../../../../lib/plan/change/change.ts'
import type { Undecided } from '../../../../../lib/plan/compare/diff.ts'
import type { Decision } from '../../../../../lib/reconcile/site/decision/compare-and-plan.ts'
import {
  type PassResult,
  planlessResult,
  resultOf,
} from '../../../../../lib/reconcile/site/result/pass-result.ts'
import { change, desired, live } from '../../../../support/builders/builders.ts'
import { repair, restoration } from '../../../../support/builders/changes.ts'
import { planOf } from '../../../../support/builders/planning.ts'

/** What a pass found that did these changes, and what it says when it ends. */
function ended(
  done: readonly Change[],
  more: {
    readonly stuck?: readonly Change[]
    readonly plan?: Partial<Plan>
    readonly undecided?: readonly Undecided[]
    readonly trouble?: Failure
  } = {},
): PassResult {
  const { stuck = [], undecided = [] } = more
  const state = desired({ tag: '2' })
  const plan = {
    ...planOf({ desired: state, live: live(state), applied: state }),
    changes: done,
    ...more.plan,
  }
  const diff = { site: 'local', differences: [], inSync: [], undecided }
  const decision: Decision = { plan, desired: state, diff, stuck, keeping: () => Promise.resolve(decision) }
  const results = done.map((one): ChangeResult => ({ change: one, result: 'applied' }))
  const verdict = { go: done, wait: [], declined: [], skipped: [], behind: new Map() }
  const seen = { site: 'local', live: live(state), atMs: 0 }
  const found = {
    desired: state,
    seen,
    decision,
    verdict,
    isOnlySite: true,
    troubles: () => [],
    loaded: () => [],
    contents: new Map(),
    ending: new Map(),
  }
  return resultOf(found, 'applied', results, more.trouble)
}

const syncAfter = (...given: Parameters<typeof ended>) => ended(...given).sync

describe('the result of a pass', () => {
  it('G7 is in sync once all that differed is done', () => {
    expect(syncAfter([change()])).to.equal('Synced')
    expect(ended([change()]).status.map(({ sync }) => sync)).to.deep.equal(['Synced'])
    const skipped = ended([], { plan: { changes: [change()] } })
    expect(skipped.status.map(({ sync }) => sync)).to.deep.equal(['OutOfSync'])
  })

  it('G6 G7 is not in sync where what ran before was put back, or kept in place of what is wanted', () => {
    expect(syncAfter([restoration()])).to.equal('OutOfSync')
    const held = change({ held: { code: 'quarantined', reason: 'failed before' } })
    expect(syncAfter([repair()], { stuck: [held] })).to.equal('OutOfSync')
  })

  it('G7 D15 is unknown where something could not be judged, unless it is known to be out of sync', () => {
    const blocked = [{ application: 'shop', problems: [{ code: 'image-not-found', message: 'no' }] }] as const
    expect(syncAfter([], { plan: { blocked } })).to.equal('Unknown')
    expect(syncAfter([], { plan: { unseen: ['store-1'] } })).to.equal('Unknown')
    expect(syncAfter([], { trouble: new Failure('git-unreachable', 'no answer') })).to.equal('Unknown')
    expect(syncAfter([], { plan: { blocked, changes: [change()] } })).to.equal('OutOfSync')
  })

  it('D5 G13 tells of an application whose image nobody could resolve why that is so', () => {
    const [before] = ended([]).status
    expect([before?.sync, before?.reason]).to.deep.equal(['Synced', ''])
    const undecided = [{ application: 'web', reason: 'the registry does not answer' }]
    const [status] = ended([], { undecided }).status
    expect([status?.sync, status?.reason]).to.deep.equal(['Unknown', 'the registry does not answer'])
  })

  it('G7 D15 that came to no plan says nothing of what is in sync, and why it came to none', () => {
    const { sync, outcome, errors } = planlessResult(new Failure('git-unreachable', 'no answer'), 'failed')
    expect({ sync, outcome, errors: errors.map(({ code }) => code) }).to.deep.equal({
      sync: 'Unknown',
      outcome: 'failed',
      errors: ['git-unreachable'],
    })
  })
})
