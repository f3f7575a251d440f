import { isPutBack } from '../plan/change.ts'
import type { Container } from '../state/container.ts'
import { containersOf } from '../state/members.ts'
import { pinnedImages, type Version } from '../state/version.ts'
import type { PassResult } from './pass-result.ts'

/**
 * Returns the versions that run completely and as wanted after a pass, on the sites that answered. An application is
 * left out if a service is still to be changed or an image is not known (A6).
 */
export function versionsRunning(
  { desired, plan, results }: PassResult,
  sites: readonly string[],
): readonly Version[] {
  if (desired === undefined || plan === undefined) return []
  const done = new Set(
    results.flatMap(({ change, result }) => (result === 'applied' && !isPutBack(change) ? [change] : [])),
  )
  const left = plan.changes.filter(change => !done.has(change))
  const blocked = new Set(plan.blocked.map(({ application }) => application))
  const whole = desired.applications.filter(
    ({ name, services }) =>
      !blocked.has(name) && services.every(service => containersOf(service).every(isKnown)),
  )
  return sites
    .filter(site => !plan.unseen.includes(site))
    .flatMap(site =>
      whole
        .filter(({ name }) => !left.some(change => change.site === site && change.application === name))
        .map(application => ({
          environment: desired.environment,
          site,
          application: application.name,
          images: pinnedImages(application),
        })),
    )
}

function isKnown({ image }: Container): boolean {
  return image.pin.state !== 'unknown'
}
