import type { Problem } from '../../errors.ts'
import type { Deployment } from '../fleet/deployment.ts'
import type { Identity } from '../identity.ts'
import type { Revision } from '../repository/revision.ts'
import type { Application } from './application.ts'
import type { IngressSettings } from './ingress-settings.ts'

/** What a revision wants to run in one environment. */
export type DesiredState = Identity & {
  readonly revision: Revision
  readonly skipConfirmation: boolean
  readonly applications: readonly Application[]
  /** Applications that cannot be planned, each with its problem. Nothing of theirs is touched (D15). */
  readonly blocked: readonly Blocked[]
  /** Applications that are named and have nothing to run. They count as not named, and cause a warning. */
  readonly idle?: readonly string[]
  /** At most one for each application. An application without one is on all sites (A20). Absent: there are none. */
  readonly deployments?: readonly Deployment[]
  /** On one site: applications whose deployment means other sites. They are removed here, and nowhere else (A26). */
  readonly elsewhere?: readonly string[]
  readonly warnings: readonly Problem[]
  /**
   * What the ingress is made with. If applications are blocked, it is made anew for each site, with those of their
   * routes that are loaded there. Absent: there is none, or it is blocked itself.
   */
  readonly ingress?: IngressSettings
}

export type Blocked = { readonly application: string; readonly problems: readonly [Problem, ...Problem[]] }

/** Returns the commit from which an application is wanted as it is: an earlier one than that of the state, if it says so. */
export function wantedFrom(
  { revision, applications }: DesiredState,
  { application }: { readonly application: string },
): string {
  return applications.find(({ name }) => name === application)?.commit ?? revision.commit
}
