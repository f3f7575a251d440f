import type { ErrorCode } from '../../../errors/catalogue.ts'
import type { IsolatorOutcome } from '../../../state/application/pod/pod.ts'
import type { HealthStatus, SyncStatus } from '../../../state/running/health.ts'
import type { NodeOfTasks } from '../../../state/running/live.ts'
import type { RouteStatus } from './sync-and-health/route-status.ts'
import type { AwaitedApproval } from './waiting/awaited-approval.ts'
import type { QueuedVersion } from './waiting/queue-view.ts'

/** One application on one site: sync, health, and the reason (G13). */
export type ApplicationStatus = {
  readonly site: string
  readonly application: string
  readonly sync: SyncStatus
  readonly health: HealthStatus
  /** The running version: that of the specification or the manifest, or else the image's tag (X19). */
  readonly version: string
  /** The desired version, if it is another one. */
  readonly wantedVersion?: string
  /**
   * Only services differ that the version no longer has, and that stay because the operator says so (D3): all of it is as
   * wanted.
   */
  readonly leftOver?: true
  /** Another content of the version that is here is wanted (A11). */
  readonly otherContent?: true
  /** The number of running instances, of those that are wanted. */
  readonly running: number
  /**
   * Absent while it is unknown: the application is blocked, or has a service with one task on each node that is not there.
   */
  readonly wanted?: number
  readonly commit: string
  readonly reason: string
  /** Why it is held or blocked, as a code of docs/errors.md; absent: it is neither. */
  readonly code?: ErrorCode
  /** What a person has to approve before it goes on, if no code says why it does not; absent: nothing. */
  readonly approval?: AwaitedApproval
  /** When it was seen like this, in ISO 8601, if its site does not answer now. */
  readonly seenAt?: string
  /** Since when it is held, or its site does not answer, in ISO 8601. */
  readonly since?: string
  /** When it goes on by itself, in ISO 8601, if that is known. */
  readonly until?: string
  /** When what failed is tried again by itself, in ISO 8601, unless something asks for it before; absent: it is not known. */
  readonly next?: string
  /** The versions that wait here, in the order in which they came, the wanted one last; absent: none does (A65). */
  readonly queue?: readonly QueuedVersion[]
  /** When the upgrade window closes that is open now, in ISO 8601, if another version needs it. */
  readonly windowEnds?: string
  /**
   * How often the engine has started a container of it again since somebody did, because it had ended: the most of all that
   * have not run for a day since. Absent: never, or nobody knows.
   */
  readonly restarts?: number
  /** Where users' requests go; absent: it has no routes. */
  readonly routes?: readonly RouteStatus[]
  /** Where the tasks of its services run, if its site is a Swarm; absent: it is none, or none runs. */
  readonly tasks?: readonly TasksStatus[]
  /** What becomes of the isolators of a pod; absent: there are none (C40). */
  readonly isolators?: readonly IsolatorOutcome[]
}

/** Whether all that an application consists of is as wanted, as far as it was seen. */
export function isAsWanted({ sync, leftOver }: Pick<ApplicationStatus, 'sync' | 'leftOver'>): boolean {
  return sync === 'Synced' || leftOver === true
}

export type TasksStatus = NodeOfTasks & { readonly service: string }
