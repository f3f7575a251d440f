import { wasOvertaken } from '../../fleet/overtaken.ts'
import type { ActiveApproval } from '../../journal/decisions/approvals.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { versionOf } from '../../state/application/version-of.ts'
import type { SiteWorld } from './site.ts'

/**
 * Returns what is approved on a site, of what is wanted there now. What was approved of an application before another
 * version of it was wanted, whether that could be had or not, and this one again, has lapsed (X18).
 */
export function approvedHere(
  { world: { journal, nowMs }, engine }: SiteWorld,
  { environment, applications }: Pick<DesiredState, 'environment' | 'applications'>,
): readonly ActiveApproval[] {
  const wanted = new Map(applications.map(application => [application.name, application]))
  return journal.approvals(environment, engine.site, nowMs()).filter(({ resource, ...given }) => {
    const application = wanted.get(resource.slice(0, resource.indexOf('/')))
    if (application === undefined) return true
    const own = [environment, application.name] as const
    const entries = [...journal.versionEntries(...own), ...journal.absentVersions(...own)]
    return !wasOvertaken(entries, versionOf(application), given)
  })
}
