import type { Journal } from '../../journal/journal.ts'
import { deletionsIn } from '../../reconcile/site/upgrade/exclusions.ts'
import type { ApplicationStatus } from '../../reconcile/status/application/application-status.ts'
import { lastSeen } from './last-seen.ts'
import { noWaysTo, versionsOnSites } from './no-way.ts'

/** A version that a site is asked to go to. */
type Goal = { readonly site: string; readonly application: string; readonly version: string }

/**
 * Returns the versions of which nothing comes on their sites, because no upgrade path leads to them, or only one by way
 * of versions that are not installed there (A42, A66), and why. What the last pass found counts before what is on record,
 * except for what was deleted since.
 * @param heedsDeletions whether what a person deleted counts, who may have it installed after all
 */
export function unreachableAmong<One extends Goal>(
  journal: Pick<Journal, 'keptStates' | 'applied' | 'versionEntries' | 'queueWords'>,
  environment: string,
  goals: readonly One[],
  { heedsDeletions = true }: { readonly heedsDeletions?: boolean } = {},
): readonly { readonly goal: One; readonly reason: string }[] {
  if (goals.length === 0) return []
  const seen = Map.groupBy(lastSeen(journal, environment), ({ application }) => application)
  return [...Map.groupBy(goals, ({ application }) => application)].flatMap(([application, own]) => {
    const entries = journal.versionEntries(environment, application)
    const here = new Map(versionsOnSites(journal, environment, application).map(one => [one.site, one]))
    const onSites = new Map(seen.get(application)?.map(one => [one.site, one]))
    return own.flatMap(goal => {
      const { site, version } = goal
      const [standing, found] = [here.get(site), onSites.get(site)]
      const deletionOf = deletionsIn(journal.queueWords(environment, site), application)
      const deleted = entries.flatMap(one => {
        const deletion = deletionOf(one)
        return deletion === undefined ? [] : [[one.version, deletion.reason] as const]
      })
      const isAsFound = heedsDeletions || deleted.length === 0
      if (isAsFound && found?.code === 'no-upgrade-path' && version === found.queue?.at(-1)?.version)
        return [{ goal, reason: found.reason }]
      const paths = entries.findLast(one => one.version === version)?.kept?.paths ?? 'any'
      const out = new Map(isAsFound ? [...outIn(found), ...deleted] : [])
      return noWaysTo({ version, paths }, entries, standing ? [standing] : [], out).map(({ reason }) => ({
        goal,
        reason,
      }))
    })
  })
}

/** Returns the versions that are never installed on a site, and why. */
function outIn({ queue = [] }: Partial<ApplicationStatus> = {}): ReadonlyMap<string, string> {
  return new Map(
    queue.flatMap(({ version, state, reason = '' }) =>
      state === 'out' || state === 'deleted' ? [[version, reason] as const] : [],
    ),
  )
}
