import type { SyncStatus } from '../state/health.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Revision } from '../state/revision.ts'
import type { PassError } from './error.ts'
import type { PassResult } from './pass-result.ts'
import type { ApplicationStatus } from './status.ts'

/** What an environment was last seen to be like. It outlives the daemon, and commits that cannot be read. */
export type LastState = {
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** The commit that what runs was compared with. */
  readonly revision?: Revision
  /** The newest commit, where it is another: `errors` say why it is not the one that counts. */
  readonly unread?: string
  /** The plan that was due. */
  readonly plan?: string
  readonly errors: readonly PassError[]
  /** Whether the pass saw what runs; else that is as it was known before. */
  readonly isSeen: boolean
  readonly applications: readonly ApplicationStatus[]
}

/**
 * The state after a pass. One that came to no plan tells what went wrong, and of everything else what was known
 * before, which nothing else needs; `newest` is the commit that the ref means now. Undefined: the pass was cut off and says nothing.
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

/** What `stateAfter` gave, as the journal gives it back. */
export function stateOf(kept: unknown): LastState | undefined {
  return kept as LastState | undefined
}
