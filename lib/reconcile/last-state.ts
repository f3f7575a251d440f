import type { SyncStatus } from '../state/health.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Revision } from '../state/revision.ts'
import type { PassError } from './error.ts'
import type { PassResult } from './pass-result.ts'
import type { ApplicationStatus } from './status.ts'

/** The last known state of an environment. It outlives the daemon, and is kept while commits cannot be read. */
export type LastState = {
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** The commit that was compared with what runs. */
  readonly revision?: Revision
  /** The newest commit, if it is another one: `errors` say why it is not used. */
  readonly unread?: string
  /** The plan that was due. */
  readonly plan?: string
  readonly errors: readonly PassError[]
  /** Whether the pass saw the containers. Otherwise they are as they were known before. */
  readonly isSeen: boolean
  readonly applications: readonly ApplicationStatus[]
}

/**
 * Returns the state after a pass. A pass without a plan changes the errors, and keeps everything else that was known
 * before. `newest` is the commit that the ref means now. Undefined if the pass was interrupted and says nothing.
 */
export function stateAfter(
  before: LastState | undefined,
  { outcome, sync, errors, plan, desired, status }: PassResult,
  newest: string | undefined,
): LastState | undefined {
  if (plan === undefined && (outcome === 'interrupted' || outcome === 'superseded')) return undefined
  const known = plan === undefined ? before : { revision: plan.revision, applications: status }
  const revision = known?.revision ?? desired?.revision
  const isUnread = errors.length > 0 && newest !== undefined && newest !== revision?.commit
  return {
    outcome,
    sync,
    ...(revision === undefined ? {} : { revision }),
    ...(isUnread ? { unread: newest } : {}),
    ...(plan === undefined || plan.changes.length === 0 ? {} : { plan: plan.id }),
    errors,
    isSeen: plan !== undefined,
    applications: known?.applications ?? [],
  }
}

/** Returns a state that `stateAfter` created and the journal kept. */
export function stateOf(kept: unknown): LastState | undefined {
  return kept as LastState | undefined
}
