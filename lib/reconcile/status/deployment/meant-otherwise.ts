import { isNowhere, placementOf } from '../../../fleet/placement.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { type ConnectedSite, endpointsOf, joinedSince, renamed } from '../../fleet/sites/known-sites.ts'
import type { ApplicationStatus } from '../application/application-status.ts'
import { placedNow, type RunSource } from './run-now.ts'
import type { SiteWithout } from './site-without.ts'

/** What it would change to evaluate the sites of a deployment anew, in the order of the sites. */
export type MeantOtherwise = {
  /** The sites that would come to it. */
  readonly joins: readonly string[]
  /** The sites that it would give up. */
  readonly leaves: readonly string[]
}

/**
 * Returns what the labels that sites have now would change of a deployment as it was last read (A25). Undefined if that
 * cannot be told: it would be refused, or would mean no site by mistake, which removes nothing (G4). Most of the time
 * nothing changes, and there are many sites to go through, so that it is found out once. Pure.
 */
export const meantOtherwise = onceFor((placed: PlacedSites) =>
  onceFor((sites: readonly ConnectedSite[]): MeantOtherwise | undefined => {
    const meant = placementOf(placed.deployment, sites)
    if (meant.kind === 'refused') return undefined
    const { here } = placedNow({ sites }, placed)
    if (meant.sites.length === 0 && here.sites.length > 0 && !isNowhere(placed.deployment)) return undefined
    const [before, now] = [new Set(here.sites), new Set(meant.sites)]
    return {
      joins: meant.sites.filter(site => !before.has(site)),
      leaves: here.sites.filter(site => !now.has(site)),
    }
  }),
)

/**
 * Returns what is told of the sites of a deployment that have got other labels since it was evaluated: those that it would
 * mean by now, and those that it would not (G13). Nothing once somebody has asked for that.
 */
export function relabelled({ sites }: Pick<RunSource, 'sites'>, placed: PlacedSites): MeantOtherwise {
  const { revision } = placed.deployment
  const { joins, leaves } =
    (sites === undefined || revision === '' ? undefined : meantOtherwise(placed)(sites)) ?? none
  if (sites === undefined || joins.length + leaves.length === 0) return none
  const joined = joinedSince(renamed(placed, endpointsOf(sites)), sites)
  return { joins: joins.filter(site => !joined.has(site)), leaves }
}

const none: MeantOtherwise = { joins: [], leaves: [] }

/**
 * Returns the sites that are not done, and those that have got other labels.
 * @param versionOn the version that is on a site; empty: none
 */
export function withRelabelled(
  left: readonly SiteWithout[],
  { joins, leaves }: MeantOtherwise,
  deployment: string,
  versionOn: (site: string) => string,
): readonly SiteWithout[] {
  if (joins.length + leaves.length === 0) return left
  const leaving = new Set(leaves)
  const known = new Set(left.map(({ site }) => site))
  const others = (all: readonly string[], reason: string) =>
    all.filter(site => !known.has(site)).map(site => ({ site, version: versionOn(site), reason }))
  return [
    ...left.map(one =>
      leaving.has(one.site) ? { ...one, reason: andAlso(one.reason, leavesReason(deployment)) } : one,
    ),
    ...others(leaves, leavesReason(deployment)),
    ...others(
      joins,
      `is meant by its labels by now, and is not part of it yet: "tallyman redeploy ${deployment}" decides`,
    ),
  ]
}

function leavesReason(deployment: string): string {
  return `is not meant by its labels any more: "tallyman redeploy ${deployment}" takes the application away`
}

/** Says of applications on sites that a deployment would not mean any more that a redeploy takes them away (A25, G13). */
export function withLeaving(
  { environment, journal, sites }: Pick<RunSource, 'environment' | 'journal' | 'sites'>,
  applications: readonly ApplicationStatus[],
): readonly ApplicationStatus[] {
  const leaving = new Map(
    [...journal.placements(environment).values()].flatMap(placed => {
      const { name, application } = placed.deployment
      const { leaves } = relabelled(sites === undefined ? {} : { sites }, placed)
      return leaves.map(site => [keyOf({ site, application }), name] as const)
    }),
  )
  if (leaving.size === 0) return applications
  return applications.map(one => {
    const deployment = leaving.get(keyOf(one))
    if (deployment === undefined) return one
    const reason = `the labels of the site do not meet the deployment ${deployment} any more: "tallyman redeploy ${deployment}" takes it away`
    return { ...one, reason: andAlso(one.reason, reason) }
  })
}

function keyOf({ site, application }: Pick<ApplicationStatus, 'site' | 'application'>): string {
  return JSON.stringify([site, application])
}

function andAlso(first: string, more: string): string {
  return first === '' ? more : `${first}; ${more}`
}
