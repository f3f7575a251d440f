import { sitesMeant } from '../../../fleet/placement.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { optional } from '../../../object.ts'
import { byText } from '../../../text/order.ts'
import { endpointsOf, joinedSince, renamed } from '../../fleet/sites/known-sites.ts'
import type { ApplicationStatus } from '../application/application-status.ts'
import type { RunSource } from './run-now.ts'

/**
 * Returns the sites that a deployment would mean, and that it does not because they have joined since (A25). One that only
 * has another name now has not, also while that is not on record.
 */
export function joinedIn({ sites = [] }: Pick<RunSource, 'sites'>, placed: PlacedSites): readonly string[] {
  const joined = joinedSince(renamed(placed, endpointsOf(sites)), sites)
  if (joined.size === 0) return []
  return sitesMeant(placed.deployment.placement, sites).filter(site => joined.has(site))
}

function notPlaced(deployment: string): string {
  return `the site is not part of the deployment ${deployment} yet`
}

const absent = { sync: 'Synced', health: 'Missing' } as const
const unknown = { sync: 'Unknown', health: 'Unknown' } as const

/**
 * Returns the status of applications with those on sites that have joined since their deployments were evaluated, where
 * nothing of them runs (G13).
 * @param isSeen whether it is known what a site has: nobody can tell otherwise whether nothing of it runs there
 */
export function withJoined(
  { environment, journal, sites }: Pick<RunSource, 'environment' | 'journal' | 'sites'>,
  applications: readonly ApplicationStatus[],
  isSeen: (site: string) => boolean,
): readonly ApplicationStatus[] {
  const joined = [...journal.placements(environment).values()].flatMap(placed => {
    const { application, name } = placed.deployment
    const joined = joinedIn({ ...optional('sites', sites) }, placed)
    if (joined.length === 0) return []
    const known = new Set(applications.flatMap(one => (one.application === application ? [one.site] : [])))
    return joined
      .filter(site => !known.has(site))
      .map(
        (site): ApplicationStatus => ({
          ...(isSeen(site) ? absent : unknown),
          ...{ site, application, version: '', running: 0, wanted: 0 },
          ...{ commit: '', reason: notPlaced(name), code: 'not-placed' },
        }),
      )
  })
  return joined.length === 0 ? applications : [...applications, ...joined].sort(byText(({ site }) => site))
}
