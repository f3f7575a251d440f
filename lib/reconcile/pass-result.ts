import type { ChangeResult } from '../apply/apply.ts'
import { type Failure, InvalidInput } from '../errors.ts'
import type { Change, Plan } from '../plan/change.ts'
import type { DesiredState } from '../state/desired.ts'
import type { SyncStatus } from '../state/health.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Verdict } from './approval.ts'
import type { Decision } from './decide.ts'
import { errorsOf, failureError, type PassError, problemError } from './error.ts'
import type { Seen } from './observe.ts'
import { type ApplicationStatus, statusOf } from './status.ts'

/** What one pass found and did. */
export type PassResult = {
  readonly passId?: number
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** What went wrong, the most telling first. */
  readonly errors: readonly PassError[]
  /** Absent when the source or the manifest could not be read. */
  readonly plan?: Plan
  readonly desired?: DesiredState
  readonly waiting: readonly Change[]
  readonly results: readonly ChangeResult[]
  readonly status: readonly ApplicationStatus[]
}

/** What a pass knows once it has a plan. */
export type Found = {
  readonly desired: DesiredState
  readonly seen: Seen
  readonly decision: Decision
  readonly verdict: Verdict
}

/** The result of a pass that came to a plan; `trouble` is what concerns the pass as a whole. */
export function resultOf(
  { desired, seen, decision, verdict }: Found,
  outcome: Outcome,
  results: readonly ChangeResult[],
  trouble: Failure | undefined,
): PassResult {
  const { plan, diffs } = decision
  const done = new Set(results.flatMap(({ change, result }) => (result === 'applied' ? [change] : [])))
  const remaining = plan.changes.filter(change => !done.has(change))
  const undecided = diffs.flatMap(({ undecided }) => undecided)
  return {
    outcome,
    sync: syncOf(plan, remaining, trouble),
    errors: errorsOf(plan, seen, results, trouble),
    plan,
    desired,
    waiting: verdict.wait,
    results,
    status: statusOf({
      desired,
      sites: seen.sites,
      changes: remaining,
      undecided: new Map(undecided.map(({ application, reason }) => [application, reason])),
    }),
  }
}

/** The result of a pass that came to no plan. Input with many problems is many errors, each with its place. */
export function planlessResult(failure: Failure, outcome: Outcome): PassResult {
  const errors =
    failure instanceof InvalidInput
      ? failure.problems.map(problem => problemError(problem))
      : [failureError(failure)]
  return { outcome, sync: 'Unknown', errors, waiting: [], results: [], status: [] }
}

/** Whether everything the plan could not judge leaves doubt about what is in sync. */
function syncOf(
  { blocked, unseen }: Plan,
  remaining: readonly Change[],
  trouble: Failure | undefined,
): SyncStatus {
  if (remaining.length > 0) return 'OutOfSync'
  return blocked.length + unseen.length > 0 || trouble !== undefined ? 'Unknown' : 'Synced'
}
