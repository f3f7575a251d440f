import { isNowhere, placementOf } from '../fleet/placement.ts'
import type { Journal } from '../journal/journal.ts'
import { placedNow } from '../reconcile/status/deployment/run-now.ts'
import { keptOf } from '../reconcile/status/last-state.ts'
import type { Audience, Subject } from './subject/subject.ts'

/**
 * What it changes to evaluate the sites of a deployment anew: both are sorted, and empty if nothing changes. Of two sites
 * that are one engine, only the one counts that is served.
 */
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
  const isCounted = (site: string) => !isOtherSite(journal, subject.name(), site)
  return {
    joins: [...now].filter(site => !before.has(site) && isCounted(site)).toSorted(),
    leaves: [...before].filter(site => !now.has(site) && isCounted(site)).toSorted(),
  }
}

/** Whether a site was found to be the engine of another one, which is counted in its place. */
function isOtherSite(journal: Pick<Journal, 'keptState'>, environment: string, site: string): boolean {
  const { state } = keptOf(journal, environment, site)
  return state?.applications.some(({ code }) => code === 'same-engine') ?? false
}
