import { placementOf } from '../../fleet/placement.ts'
import type { Stand } from '../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { optional } from '../../object.ts'
import type { Obstacle } from '../../state/fleet/obstacle.ts'
import { byText } from '../../text/order.ts'
import { joinedSince } from '../fleet/known-sites.ts'
import {
  type DeploymentStand,
  type DeploymentState,
  doneText,
  isoText,
  isUnanswering,
  named,
  reasonOn,
  type SeenOnSites,
  waitOf,
  whyOf,
} from './deployment-words.ts'
import type { QueuedVersion } from './queue-view.ts'
import { placedNow, type RunSource, runNow } from './run-now.ts'
import type { ApplicationStatus } from './status.ts'

/** A deployment as `status` and `deployment` show it: its batches, and what it waits for. Times are in ISO 8601. */
export type DeploymentStatus = DeploymentStand & {
  readonly name: string
  readonly application: string
  /** The version that it brings to its sites; absent: none yet. */
  readonly version?: string
  /** How many sites have the version, are getting it, and are still without it. */
  readonly sites: { readonly done: number; readonly now: number; readonly toCome: number }
  readonly batches: readonly BatchStatus[]
  /** The sites that are still without the version, and those that were taken out or have joined since it began. */
  readonly left: readonly SiteWithout[]
}

export type BatchStatus = {
  readonly at: string
  readonly canary?: true
  readonly sites: readonly { readonly site: string; readonly done: boolean }[]
}

/** A site without the version, the version that runs there (empty: none), and why and since when that is so. */
export type SiteWithout = {
  readonly site: string
  readonly version: string
  readonly reason: string
  readonly since?: string
  /** What waits there, if it gets to the version by way of others (A65). */
  readonly queue?: readonly QueuedVersion[]
}

export type DeploymentSource = RunSource & {
  /** What was last seen of the applications on all sites. */
  readonly applications: readonly ApplicationStatus[]
  /** The sites that are not reached, and since when, in ISO 8601. */
  readonly unreached: ReadonlyMap<string, string>
}

/** Returns the deployments of an environment, from what the journal knows of them. */
export function deploymentStatuses(source: DeploymentSource): readonly DeploymentStatus[] {
  const { environment, journal } = source
  const placements = journal.placements(environment)
  const obstacles = journal.obstacles(environment)
  const names = [...new Set([...placements.keys(), ...obstacles.keys()])].sort()
  if (names.length === 0) return []
  const held = new Map(journal.heldVersions(environment).map(one => [one.application, one.version]))
  const seen = Map.groupBy(source.applications, ({ application }) => application)
  return names.flatMap(name => {
    const [placed, obstacle] = [placements.get(name), obstacles.get(name)]
    const application = obstacle?.application ?? placed?.deployment.application
    if (application === undefined) return []
    const on = new Map((seen.get(application) ?? []).map(one => [one.site, one]))
    const own = { on, unreached: source.unreached }
    if (obstacle !== undefined)
      return [{ name, application, ...obstructed(obstacle, placed?.sites ?? [], own) }]
    return placed === undefined
      ? []
      : [{ name, application, ...carriedOut(source, placed, held.get(application), own) }]
  })
}

function carriedOut(
  source: DeploymentSource,
  placed: PlacedSites,
  heldAt: string | undefined,
  seen: SeenOnSites,
): Told {
  const { here, gone } = placedNow(source, placed)
  const joined = joinedIn(source, placed).map(site => ({
    ...{ site, version: versionOn(site, seen), reason: joinedReason(placed.deployment.name) },
  }))
  const run = heldAt === undefined ? runNow(source, placed) : undefined
  if (run === undefined) {
    const told = atOnce(here, heldAt ?? placed.deployment.version, seen)
    return { ...told, left: [...told.left, ...joined] }
  }
  const told = stepwise(here, run, seen)
  const without = gone.filter(site => !run.reached.has(site))
  const left = without.map(site => ({ site, version: '', reason: goneReason }))
  return { ...told, left: [...told.left, ...left, ...joined] }
}

const goneReason = 'is no longer configured; what runs there stays'

/** Returns the sites that a deployment would mean, and that it does not because they have joined since (A25). */
function joinedIn({ sites = [] }: Pick<DeploymentSource, 'sites'>, placed: PlacedSites): readonly string[] {
  const joined = joinedSince(placed, sites)
  if (joined.size === 0) return []
  const meant = placementOf({ placement: placed.deployment.placement }, sites)
  return meant.kind === 'placed' ? meant.sites.filter(site => joined.has(site)) : []
}

function joinedReason(deployment: string): string {
  return `has joined since, and is not part of it yet: "tallyman redeploy ${deployment}" decides`
}

function notPlaced(deployment: string): string {
  return `the site is not part of the deployment ${deployment} yet`
}

/**
 * Returns the status of applications with those on sites that have joined since their deployments were evaluated, where
 * nothing of them runs (G13).
 */
export function withJoined(
  { environment, journal, sites }: Pick<RunSource, 'environment' | 'journal' | 'sites'>,
  applications: readonly ApplicationStatus[],
): readonly ApplicationStatus[] {
  const joined = [...journal.placements(environment).values()].flatMap(placed => {
    const { application, name } = placed.deployment
    const known = new Set(applications.flatMap(one => (one.application === application ? [one.site] : [])))
    return joinedIn({ ...optional('sites', sites) }, placed)
      .filter(site => !known.has(site))
      .map(
        (site): ApplicationStatus => ({
          ...{ site, application, sync: 'Synced', health: 'Missing', version: '', running: 0, wanted: 0 },
          ...{ commit: '', reason: notPlaced(name), code: 'not-placed' },
        }),
      )
  })
  return joined.length === 0 ? applications : [...applications, ...joined].sort(byText(({ site }) => site))
}

/** What is told of a deployment besides its names. */
type Told = Omit<DeploymentStatus, 'name' | 'application'>

/** What was begun before says nothing about what is written now. */
function obstructed(
  { code, reason, hint, version, atMs }: Obstacle,
  sites: readonly string[],
  seen: SeenOnSites,
): Told {
  const left = sites.filter(site => version === undefined || versionOn(site, seen) !== version)
  const state = stateOf(code)
  return {
    ...optional('version', version),
    state,
    reason,
    since: isoText(atMs),
    hint,
    sites: { done: sites.length - left.length, now: 0, toCome: left.length },
    batches: [],
    left: left.map(site => ({ site, version: versionOn(site, seen), reason: state })),
  }
}

function stateOf(code: Obstacle['code']): DeploymentState {
  if (code === 'deployment-refused') return 'refused'
  return code === 'version-missing' || code === 'digest-unknown' ? 'waiting' : 'blocked'
}

function atOnce({ sites: all }: PlacedSites, version: string | undefined, seen: SeenOnSites): Told {
  const isDone = (site: string) => seen.on.get(site)?.sync === 'Synced' && !isUnanswering(site, seen)
  const sites = all.filter(site => !isTwin(site, seen))
  const left = all.filter(site => !isDone(site))
  const open = left.filter(site => sites.includes(site))
  return {
    ...optional('version', version),
    state: left.length === 0 ? 'done' : 'progressing',
    reason: left.length === 0 ? doneText(sites) : `waits for ${named(left.map(site => whyOf(site, seen)))}`,
    sites: { done: sites.length - open.length, now: open.length, toCome: 0 },
    batches: [],
    left: left.map(site => without(site, seen)),
  }
}

function stepwise(
  { sites }: PlacedSites,
  { of: run, stand, reached: everReached }: NonNullable<ReturnType<typeof runNow>>,
  seen: SeenOnSites,
): Told {
  const { reached, open, batches } = stand
  const counted = sites.filter(site => !isTwin(site, seen))
  const now = counted.filter(site => open.has(site) && !reached.has(site)).length
  const done = counted.filter(site => reached.has(site)).length
  const told = waitOf(run, stand, sites, seen)
  return {
    version: run.version,
    ...told,
    sites: { done, now, toCome: counted.length - done - now },
    batches: batches.map(({ atMs, isCanary, sites }) => ({
      at: isoText(atMs),
      ...(isCanary ? { canary: true as const } : {}),
      sites: sites.map(site => ({ site, done: everReached.has(site) })),
    })),
    left: sites
      .filter(site => !reached.has(site))
      .map(site => shortened(without(site, seen), stand, told.state, seen)),
  }
}

/** Whether a site is the engine of another one, which is counted in its place. */
function isTwin(site: string, { on }: SeenOnSites): boolean {
  return on.get(site)?.code === 'same-engine'
}

/** What is said of the deployment as a whole is not repeated for each of its sites. */
function shortened(
  one: SiteWithout,
  { wait }: Stand,
  state: DeploymentState,
  seen: SeenOnSites,
): SiteWithout {
  const { reason: _, since: __, ...rest } = one
  const { site } = rest
  if (isUnanswering(site, seen)) return one
  if (wait.for === 'correction' && wait.failed.site === site) return { ...rest, reason: 'failed' }
  switch (seen.on.get(site)?.code) {
    case 'not-its-turn':
      return { ...rest, reason: 'waits for its turn' }
    case 'deployment-stopped':
      return { ...rest, reason: state }
    default:
      return one
  }
}

function without(site: string, seen: SeenOnSites): SiteWithout {
  const { queue = [] } = seen.on.get(site) ?? {}
  const way = queue.length < 2 ? undefined : queue
  return { site, version: versionOn(site, seen), ...reasonOn(site, seen), ...optional('queue', way) }
}

/** Where nothing runs, the version of an application is the one that is wanted. */
function versionOn(site: string, seen: SeenOnSites): string {
  const found = seen.on.get(site)
  return found === undefined || found.running === 0 ? '' : found.version
}
