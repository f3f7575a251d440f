import { everReached } from '../../../fleet/spread/facts/run-facts.ts'
import type { Stand } from '../../../fleet/spread/stand.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import type { RunFact, SitesJoined } from '../../../state/fleet/run.ts'
import { renamed } from './known-sites.ts'

/** Sites that a deployment means now, and did not mean when it was evaluated before. */
export type Joining = {
  readonly sites: readonly string[]
  /** The sites that it meant before, under their present names. */
  readonly former: readonly string[]
}

/** Returns the sites that join with a new evaluation. Pure. */
export function joiningWith({ sites, known = {} }: PlacedSites, before: PlacedSites | undefined): Joining {
  const former = before === undefined ? [] : renamed(before, known).sites
  const members = new Set(former)
  return { sites: sites.filter(site => !members.has(site)), former }
}

/**
 * Returns that those of the joining sites begin anew which the run knows from before: they may have lost the application
 * since the deployment meant them (A25). Pure.
 */
export function begunAnew(
  { sites }: Joining,
  facts: readonly RunFact[],
  atMs: number,
): readonly SitesJoined[] {
  if (sites.length === 0) return []
  const known = new Set(
    facts.flatMap(fact => ('site' in fact ? fact.site : 'sites' in fact ? fact.sites : [])),
  )
  const anew = sites.filter(site => known.has(site))
  return anew.length === 0 ? [] : [{ kind: 'joined', atMs, sites: anew }]
}

/**
 * Returns the sites that get the version of a run at once, because they join a deployment that has brought it to all
 * others (A35). Where nobody has had it, nobody has proved it. Pure.
 * @param stand of the run, for the sites as they are meant now
 * @param facts what had happened in it before they joined
 */
export function atOnceOnJoining(
  { sites, former }: Joining,
  stand: Stand,
  facts: readonly RunFact[],
  meant: readonly string[],
): readonly string[] {
  const joining = new Set(sites)
  const hadIt = everReached(facts)
  const isDone =
    former.some(site => hadIt.has(site)) && meant.every(site => stand.reached.has(site) || joining.has(site))
  return isDone ? sites.filter(site => !stand.reached.has(site)) : []
}
