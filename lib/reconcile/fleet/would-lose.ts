import { isNowhere } from '../../fleet/placement.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { type ConnectedSite, endpointsOf, joinedSince, renamed } from './sites/known-sites.ts'

/** Where a deployment's application may be. */
export type LossInput = {
  readonly deployment: Deployment
  /** The sites that it meant when it was last evaluated. */
  readonly placement: PlacedSites | undefined
  /** All sites of the environment. */
  readonly sites: readonly ConnectedSite[]
  /** Whether anything of the application was last seen on a site; `unknown`: nobody has looked at the site. */
  readonly mayRun: (site: string) => boolean | 'unknown'
}

/**
 * Whether a deployment that means none of the sites would take its application away from one, without saying that this
 * is meant. A typing error looks the same (G4). It does not matter why the application is there: by this deployment, by
 * another, or because there was none. On a site that joined since, it stays in any case. Pure.
 */
export function wouldLose({ deployment, placement, sites, mayRun }: LossInput): boolean {
  if (isNowhere(deployment)) return false
  // Whoever has evaluated nothing yet may have lost what was known.
  if (placement === undefined) return sites.some(({ name }) => mayRun(name) !== false)
  if (placement.sites.length > 0) return true
  const joined = joinedSince(renamed(placement, endpointsOf(sites)), sites)
  return sites.some(({ name }) => mayRun(name) === true && !joined.has(name))
}
