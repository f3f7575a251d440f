import type { ErrorCode } from '../../errors/catalogue.ts'

/** What holds a change, as a code of docs/errors.md. What is to become of a run that meets it, `holdMeans` says of each. */
export type HeldCode =
  | 'barred'
  | 'claim-held'
  | 'dependency-held'
  | 'deployment-stopped'
  | 'digest-unknown'
  | 'drift-reported'
  | 'empty-desired-state'
  | 'ingress-unreachable'
  | 'name-taken'
  | 'no-upgrade-path'
  | 'not-converging'
  | 'not-its-turn'
  | 'not-placed'
  | 'port-taken'
  | 'prune-never'
  | 'quarantined'
  | 'suspended'
  | 'upgrade-deleted'
  | 'version-unreadable'
  | 'window-closed'

/** Why a change is not made, and since when if that is known (G13). */
export type Held = HeldBy & {
  readonly reason: string
  readonly sinceMs?: number
  /** When it goes on by itself, in ms since 1970, if that is known. */
  readonly untilMs?: number
  /** The state before is not restored either (H29). */
  readonly isFinal?: true
  /** When what failed is tried again, in ms since 1970, unless something asks for it before. */
  readonly againMs?: number
  /** The version failed here and ended its deployment, and nobody has corrected it or gone on with it. */
  readonly isFailed?: true
  /** It waits for its turn, and is made then. People are asked about it now, and not a second time (X18). */
  readonly isQueued?: true
  /** The version that failed on the way to the wanted one, so that nothing is installed (A65). */
  readonly step?: string
}

type HeldBy =
  | { readonly code: HeldCode; readonly isLater?: never; readonly isUnread?: never }
  /** It failed for a reason that may go away, and is tried again by itself. */
  | { readonly code: ErrorCode; readonly isLater: true; readonly isUnread?: never }
  /** The newest commit cannot be read. */
  | { readonly code: ErrorCode; readonly isUnread: true; readonly isLater?: never }
