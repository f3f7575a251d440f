import type { Journal } from '../journal/journal.ts'
import { type MeantOtherwise, meantOtherwise } from '../reconcile/status/deployment/meant-otherwise.ts'
import { keptOf } from '../reconcile/status/last-state.ts'
import type { Audience, Subject } from './subject/subject.ts'

/**
 * Returns what the labels that sites have now would change of a deployment as it was last read. Undefined if that cannot
 * be told: the sites are not known, or the deployment would be refused. Both are sorted. Of two sites that are one engine, only
 * the one counts that is served.
 */
export function sitesAnew(
  { journal }: Pick<Audience, 'journal'>,
  subject: Subject,
  deployment: string,
): MeantOtherwise | undefined {
  const { sites } = subject.ofRuns()
  const placed = journal.placements(subject.name()).get(deployment)
  if (sites === undefined || placed === undefined) return undefined
  const changes = meantOtherwise(placed)(sites)
  if (changes === undefined) return undefined
  const isCounted = (site: string) => !isOtherSite(journal, subject.name(), site)
  return {
    joins: changes.joins.filter(isCounted).toSorted(),
    leaves: changes.leaves.filter(isCounted).toSorted(),
  }
}

/** Whether a site was found to be the engine of another one, which is counted in its place. */
function isOtherSite(journal: Pick<Journal, 'keptState'>, environment: string, site: string): boolean {
  const { state } = keptOf(journal, environment, site)
  return state?.applications.some(({ code }) => code === 'same-engine') ?? false
}
