import type { Stand } from '../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import { optional } from '../../object.ts'
import type { Obstacle } from '../../state/fleet/obstacle.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'
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
import { type RunSource, runNow } from './run-now.ts'
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
  /** The sites that are still without the version. */
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
  const run = heldAt === undefined ? runNow(source, placed) : undefined
  if (run === undefined) return atOnce(placed, heldAt ?? placed.deployment.version, seen)
  return stepwise(placed, run.of, run.stand, seen)
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
  return code === 'version-missing' ? 'waiting' : 'blocked'
}

function atOnce({ sites }: PlacedSites, version: string | undefined, seen: SeenOnSites): Told {
  const isDone = (site: string) => seen.on.get(site)?.sync === 'Synced' && !isUnanswering(site, seen)
  const left = sites.filter(site => !isDone(site))
  return {
    ...optional('version', version),
    state: left.length === 0 ? 'done' : 'progressing',
    reason: left.length === 0 ? doneText(sites) : `waits for ${named(left.map(site => whyOf(site, seen)))}`,
    sites: { done: sites.length - left.length, now: left.length, toCome: 0 },
    batches: [],
    left: left.map(site => without(site, seen)),
  }
}

function stepwise({ sites }: PlacedSites, run: DeploymentRun, stand: Stand, seen: SeenOnSites): Told {
  const { reached, open, batches } = stand
  const now = sites.filter(site => open.has(site) && !reached.has(site)).length
  const done = sites.filter(site => reached.has(site)).length
  const told = waitOf(run, stand, sites, seen)
  return {
    version: run.version,
    ...told,
    sites: { done, now, toCome: sites.length - done - now },
    batches: batches.map(({ atMs, isCanary, sites }) => ({
      at: isoText(atMs),
      ...(isCanary ? { canary: true as const } : {}),
      sites: sites.map(site => ({ site, done: reached.has(site) })),
    })),
    left: sites
      .filter(site => !reached.has(site))
      .map(site => shortened(without(site, seen), stand, told.state, seen)),
  }
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
