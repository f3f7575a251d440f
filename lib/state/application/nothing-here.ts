import type { DesiredState } from './desired.ts'
import { isOwnApplication } from './own-application.ts'

/**
 * Whether nothing that can run is wanted, here or on another site. That may be a mistake, so it removes nothing (G4).
 * What is Tallyman's own counts for nothing: it may be there for what is blocked.
 */
export function asksForNothing(desired: DesiredState): boolean {
  return isWithoutApplications(desired) && desired.isWantedElsewhere !== true
}

/**
 * Whether deployments have taken all applications from a site: what is Tallyman's own there goes with the last of them
 * (A26). While one is blocked, nobody knows what it needs (D15).
 */
export function isLeft(desired: DesiredState): boolean {
  return desired.elsewhere !== undefined && desired.blocked.length === 0 && isWithoutApplications(desired)
}

function isWithoutApplications({ applications }: DesiredState): boolean {
  return applications.every(({ name }) => isOwnApplication(name))
}
