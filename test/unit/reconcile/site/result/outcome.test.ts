import { expect } from 'chai'
import type { ChangeResult } from '../../../../../lib/apply/apply.ts'
import { Failure } from '../../../../../lib/errors.ts'
import type { Change } from '../../../../../lib/plan/change/change.ts'
import type { HeldCode } from '../../../../../lib/plan/hold/held.ts'
import { outcomeOf, type PassFacts } from '../../../../../lib/reconcile/site/result/outcome.ts'
import { change } from '../../../../support/builders/builders.ts'
import { restoration } from '../../../../support/builders/changes.ts'

const failure = new Failure('unhealthy', 'its health check fails')

const result: Record<ChangeResult['result'], ChangeResult> = {
  applied: { change: change(), result: 'applied' },
  'rolled-back': { change: change(), result: 'rolled-back', failure },
  failed: { change: change(), result: 'failed', failure },
  skipped: { change: change(), result: 'skipped', reason: 'db was not applied' },
  interrupted: { change: change(), result: 'interrupted', reason: 'stopped' },
}

const putBack: ChangeResult = { change: restoration(), result: 'applied' }

function held(code: HeldCode): Change {
  return change({ held: { code, reason: 'for a reason' } })
}

const lost: ChangeResult = {
  change: change(),
  result: 'failed',
  failure: new Failure('engine-unreachable', 'nobody answers'),
}

const later = change({ held: { code: 'engine-refused', reason: 'the engine is busy', isLater: true } })

function outcome(parts: Partial<PassFacts>): string {
  return outcomeOf({
    blocked: 0,
    held: [],
    waiting: [],
    isUnreadable: false,
    declined: [],
    results: [],
    isUnreached: false,
    superseded: false,
    ...parts,
  })
}

describe('the outcome of a pass', () => {
  const { applied, failed, skipped, interrupted } = result
  const rolledBack = result['rolled-back']
  const cases: readonly (readonly [string, Partial<PassFacts>, string])[] = [
    ['G6 nothing to do', {}, 'in-sync'],
    ['G6 everything done', { results: [applied, applied] }, 'applied'],
    [
      'G6 done, while something else waits for a word',
      { results: [applied], waiting: [change()] },
      'applied',
    ],
    ['E22 nothing done, something waits for a word', { waiting: [change()] }, 'needs-confirmation'],
    [
      'G6 one rolled back, something else waits',
      { results: [rolledBack], waiting: [change()] },
      'rolled-back',
    ],
    ['G6 one failed, something else waits', { results: [failed, skipped], waiting: [change()] }, 'failed'],
    [
      'G6 an undo was finished later, and something else waits',
      { results: [putBack], waiting: [change()] },
      'rolled-back',
    ],
    [
      'G6 one rolled back, a person said no to another',
      { results: [rolledBack], declined: [change()] },
      'rolled-back',
    ],
    ['E22 a person said no', { declined: [change()] }, 'declined'],
    ['G6 a rollback is never a success', { results: [rolledBack] }, 'rolled-back'],
    ['G6 one rolled back and its dependent skipped', { results: [rolledBack, skipped] }, 'rolled-back'],
    ['G6 one rolled back and one applied', { results: [rolledBack, applied] }, 'partially-applied'],
    ['G6 one that could not be put back', { results: [failed] }, 'failed'],
    ['G6 one failed, one rolled back', { results: [failed, rolledBack] }, 'failed'],
    ['G6 one failed, one applied', { results: [failed, applied] }, 'partially-applied'],
    ['G6 an undo that was finished later is no success', { results: [putBack] }, 'rolled-back'],
    ['G6 an undo finished, and something else applied', { results: [putBack, applied] }, 'partially-applied'],
    ['D15 an application is blocked', { blocked: 1 }, 'failed'],
    ['D15 one is blocked, the others are applied', { blocked: 1, results: [applied] }, 'partially-applied'],
    ['D15 one is blocked, another rolled back', { blocked: 1, results: [rolledBack] }, 'failed'],
    [
      'D15 one is blocked, another waits for a word',
      { blocked: 1, waiting: [change()] },
      'needs-confirmation',
    ],
    ['G5 something is quarantined', { held: [held('quarantined')] }, 'failed'],
    ['G2 something does not converge', { held: [held('not-converging')] }, 'failed'],
    ['G11 a dependency cannot be changed', { held: [held('dependency-held')] }, 'failed'],
    [
      'G5 something is quarantined, the rest applied',
      { held: [held('quarantined')], results: [applied] },
      'partially-applied',
    ],
    ['G4 the manifest wants nothing, and what runs stays', { held: [held('empty-desired-state')] }, 'failed'],
    ['D3 what is held by the operator is no trouble', { held: [held('prune-never')] }, 'in-sync'],
    ['G14 what is suspended is no trouble', { held: [held('suspended')], results: [applied] }, 'applied'],
    ['D9 what is only reported is no trouble', { held: [held('drift-reported')] }, 'in-sync'],
    ['G17 what failed just now is left alone for a while', { held: [later] }, 'failed'],
    [
      'G17 what failed just now is left alone, the rest applied',
      { held: [later], results: [applied] },
      'partially-applied',
    ],
    ['A34 one of several sites does not answer', { isUnreached: true }, 'unreachable'],
    [
      'A34 a site does not answer, and something is blocked',
      { isUnreached: true, blocked: 1 },
      'unreachable',
    ],
    ['A34 a site was lost in its changes', { isUnreached: true, results: [lost] }, 'unreachable'],
    ['A34 a site was lost after some', { isUnreached: true, results: [applied, lost] }, 'partially-applied'],
    ['A34 a site was lost after a failure', { isUnreached: true, results: [failed, lost] }, 'failed'],
    ['G6 the only site was lost in its changes', { results: [lost] }, 'failed'],
    ['G12 it was stopped', { results: [applied, interrupted] }, 'interrupted'],
    ['G12 a newer commit ended it', { results: [failed, interrupted], superseded: true }, 'superseded'],
    ['G12 a newer commit came too late to end anything', { results: [applied], superseded: true }, 'applied'],
  ]
  for (const [title, parts, expected] of cases) {
    it(`${title}: ${expected}`, () => {
      expect(outcome(parts)).to.equal(expected)
    })
  }
})
