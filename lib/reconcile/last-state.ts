import type { SyncStatus } from '../state/health.ts'
import type { Outcome } from '../state/outcome.ts'
import type { Revision } from '../state/revision.ts'
import type { WaitingItem } from './approval.ts'
import { waitingItems } from './approval.ts'
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
  /** What in it waits for a person, as an approval names it; absent: nothing. */
  readonly waiting?: readonly WaitingItem[]
  readonly errors: readonly PassError[]
  /** Whether the pass saw the containers of a site. Otherwise all are as they were known before. */
  readonly isSeen: boolean
  readonly applications: readonly ApplicationStatus[]
}

/** What was known before a pass, and when its containers were seen, in ms since 1970. */
export type KnownBefore = { readonly state: LastState | undefined; readonly seenMs: number | undefined }

/**
 * Returns the state after a pass. A pass without a plan changes the errors, and keeps everything else that was known
 * before. So do the applications of a site that did not answer. `newest` is the commit that the ref means now.
 * Undefined if the pass was interrupted and says nothing.
 */
export function stateAfter(
  before: KnownBefore,
  { outcome, sync, errors, plan, desired, status, waiting }: PassResult,
  newest: string | undefined,
): LastState | undefined {
  if (plan === undefined && (outcome === 'interrupted' || outcome === 'superseded')) return undefined
  const unseen = plan?.unseen ?? []
  const known =
    plan === undefined
      ? before.state
      : { revision: plan.revision, applications: [...status, ...lastSeen(before, unseen)] }
  const revision = known?.revision ?? desired?.revision
  const isUnread = errors.length > 0 && newest !== undefined && newest !== revision?.commit
  return {
    outcome,
    sync,
    ...(revision === undefined ? {} : { revision }),
    ...(isUnread ? { unread: newest } : {}),
    ...(plan === undefined || plan.changes.length === 0 ? {} : { plan: plan.id }),
    ...(waiting.length === 0 ? {} : { waiting: waitingItems(waiting) }),
    errors,
    isSeen: plan !== undefined && (unseen.length === 0 || status.length > 0),
    applications: known?.applications ?? [],
  }
}

/** Returns the applications of sites that did not answer, each with the time at which it was last seen. */
function lastSeen({ state, seenMs }: KnownBefore, unseen: readonly string[]): readonly ApplicationStatus[] {
  const seenAt = seenMs ? { seenAt: new Date(seenMs).toISOString() } : {}
  return (state?.applications ?? [])
    .filter(({ site }) => unseen.includes(site))
    .map(application => ({ ...seenAt, ...application }))
}

/** Returns a state that `stateAfter` created and the journal kept. */
export function stateOf(kept: unknown): LastState | undefined {
  return kept as LastState | undefined
}
