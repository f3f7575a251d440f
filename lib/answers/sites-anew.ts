import { isNowhere, placementOf } from '../fleet/placement.ts'
import { placedNow } from '../reconcile/status/deployment/run-now.ts'
import type { Audience, Subject } from './subject/subject.ts'

/** What it changes to evaluate the sites of a deployment anew: both are sorted, and empty if nothing changes. */
export type SitesAnew = {
  /** The sites that come to it. */
  readonly joins: readonly string[]
  /** The sites that it gives up. */
  readonly leaves: readonly string[]
}

/**
 * Returns what the labels that sites have now would change of a deployment as it was last read. Undefined if that cannot
 * be told: the sites are not known, or the deployment would be refused.
 */
export function sitesAnew(
  { journal }: Pick<Audience, 'journal'>,
  subject: Subject,
  deployment: string,
): SitesAnew | undefined {
  const { sites } = subject.ofRuns()
  const placed = journal.placements(subject.name()).get(deployment)
  if (sites === undefined || placed === undefined) return undefined
  const meant = placementOf(placed.deployment, sites)
  if (meant.kind === 'refused') return undefined
  const before = new Set(placedNow({ sites }, placed).here.sites)
  const now = new Set(meant.sites)
  // One that means no site by mistake removes nothing (G4).
  if (now.size === 0 && before.size > 0 && !isNowhere(placed.deployment)) return undefined
  return {
    joins: [...now].filter(site => !before.has(site)).toSorted(),
    leaves: [...before].filter(site => !now.has(site)).toSorted(),
  }
}
