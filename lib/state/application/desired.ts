import type { Problem } from '../../errors.ts'
import type { Deployment } from '../fleet/deployment.ts'
import type { Identity } from '../identity.ts'
import type { ImagePlaces } from '../image/places.ts'
import type { Revision } from '../repository/revision.ts'
import type { Application } from './application.ts'
import type { IngressSettings } from './ingress/ingress-settings.ts'
import type { AskingOf } from './swarm/asking.ts'

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
  /** At least one of these is wanted on another site, or is to run nowhere on purpose: not everything was lost (G4). */
  readonly isWantedElsewhere?: true
  /**
   * Of these, those whose deployment was evaluated before this site joined, with its name. What runs of them here stays
   * (A25). Absent: none.
   */
  readonly joined?: ReadonlyMap<string, string>
  readonly warnings: readonly Problem[]
  /** Where the images of applications are written, by application; absent: nobody knows. */
  readonly written?: ReadonlyMap<string, ImagePlaces>
  /** Where services say what they ask of the nodes of a Swarm, by application; absent: none asks, or nobody knows. */
  readonly asking?: ReadonlyMap<string, AskingOf>
  /**
   * What the ingress is made with. If applications are blocked, it is made anew for each site, with those of their
   * routes that are loaded there. Absent: there is none, or it is blocked itself.
   */
  readonly ingress?: IngressSettings
  /** The sites on which the ingress is blocked, because another one has its ports there, and why. Absent: none. */
  readonly ingressTaken?: ReadonlyMap<string, Problem>
  /** What some sites should have instead, each as a whole, by the name of the site. Absent: all get the same. */
  readonly variants?: ReadonlyMap<string, DesiredState>
}

export type Blocked = {
  readonly application: string
  /** The version that is blocked; absent: it is not known. */
  readonly version?: string
  readonly problems: readonly [Problem, ...Problem[]]
  /** In what is told of several sites together: the only ones on which it is blocked. Absent: it is on all of them. */
  readonly sites?: readonly string[]
}

/** Returns the commit from which an application is wanted as it is: an earlier one than that of the state, if it says so. */
export function wantedFrom(
  { revision, applications }: DesiredState,
  { application }: { readonly application: string },
): string {
  return applications.find(({ name }) => name === application)?.commit ?? revision.commit
}

/** Returns what a site should have. Sites without a variant share one value. */
export function variantFor(desired: DesiredState, site: string): DesiredState {
  return desired.variants?.get(site) ?? desired
}

/** Returns what is wanted on any site: what all have in common first, then the variants. */
export function everyVariant(desired: DesiredState): readonly DesiredState[] {
  return [desired, ...(desired.variants?.values() ?? [])]
}

/** Changes what is wanted, and its variants in the same way. */
export function changeEverywhere(
  { variants, ...common }: DesiredState,
  change: (state: DesiredState) => DesiredState,
): DesiredState {
  const changed = change(common)
  if (variants === undefined) return changed
  return { ...changed, variants: new Map([...variants].map(([site, variant]) => [site, change(variant)])) }
}

/** Returns all applications that any site should have. Variants share those that are the same. */
export function applicationsAnywhere(desired: DesiredState): readonly Application[] {
  if (desired.variants === undefined) return desired.applications
  return [...new Set(everyVariant(desired).flatMap(({ applications }) => applications))]
}
