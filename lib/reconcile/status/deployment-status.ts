import { spreadOf } from '../../fleet/strategy/spread.ts'
import { stageId } from '../../fleet/strategy/stage-id.ts'
import { type Stand, standOf } from '../../fleet/strategy/stand.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import type { Journal } from '../../journal/journal.ts'
import { optional } from '../../object.ts'
import type { DeploymentRun } from '../../state/fleet/run.ts'
import type { ApplicationStatus } from './status.ts'

/** A deployment as `status` and `deployment` show it: its batches, and what it waits for. Times are in ISO 8601. */
export type DeploymentStatus = {
  readonly name: string
  readonly application: string
  /** The version that it brings to its sites; absent: none yet. */
  readonly version?: string
  readonly state: DeploymentState
  /** What it waits for, in words (G13). */
  readonly reason: string
  readonly since?: string
  /** When it goes on by itself. */
  readonly until?: string
  /** What `tallyman approve` takes to let the other sites follow the canaries. */
  readonly approve?: string
  /** How many sites have the version, are getting it, and are still without it. */
  readonly sites: { readonly done: number; readonly now: number; readonly toCome: number }
  readonly batches: readonly BatchStatus[]
  /** The sites that are still without the version. */
  readonly left: readonly SiteWithout[]
}

/**
 * `progressing`: sites are getting the version. `proving`: those that have it are watched. `waiting`: for a person, or
 * for sites that are not ready.
 */
export type DeploymentState = 'progressing' | 'proving' | 'waiting' | 'paused' | 'aborted' | 'done'

export type BatchStatus = {
  readonly at: string
  readonly canary?: true
  readonly sites: readonly { readonly site: string; readonly done: boolean }[]
}

/** A site without the version, the version that runs there (empty: none), and why that is so. */
export type SiteWithout = { readonly site: string; readonly version: string; readonly reason: string }

export type DeploymentSource = {
  readonly environment: string
  readonly journal: Journal
  /** What was last seen of the applications on all sites. */
  readonly applications: readonly ApplicationStatus[]
  readonly isReady: (application: string, site: string) => boolean
  readonly nowMs: number
}

/** Returns the deployments of an environment, from what the journal knows of them. */
export function deploymentStatuses(source: DeploymentSource): readonly DeploymentStatus[] {
  const { environment, journal } = source
  const placements = [...journal.placements(environment).values()]
  if (placements.length === 0) return []
  const held = new Map(journal.heldVersions(environment).map(one => [one.application, one.version]))
  const seen = Map.groupBy(source.applications, ({ application }) => application)
  return placements.map(placed => {
    const { name, application } = placed.deployment
    const run = journal.run(environment, application)
    const own = new Map((seen.get(application) ?? []).map(one => [one.site, one]))
    const spread = held.has(application) ? undefined : spreadOf(placed.deployment, placed.canaries)
    if (spread === undefined || run === undefined)
      return { name, ...atOnce(placed, held.get(application) ?? placed.deployment.version, own) }
    const stand = standOf({
      strategy: spread,
      sites: placed.sites,
      facts: journal.facts(run.id, 0).map(({ fact }) => fact),
      isReady: site => source.isReady(application, site),
      nowMs: source.nowMs,
    })
    return { name, application, ...stepwise(placed, run, stand, own) }
  })
}

type Seen = ReadonlyMap<string, ApplicationStatus>

function atOnce(
  { deployment: { application }, sites }: PlacedSites,
  version: string | undefined,
  seen: Seen,
): Omit<DeploymentStatus, 'name'> {
  const isDone = (site: string) => seen.get(site)?.sync === 'Synced'
  const left = sites.filter(site => !isDone(site)).map(site => without(site, seen))
  const done = sites.length - left.length
  return {
    application,
    ...optional('version', version),
    state: left.length === 0 ? 'done' : 'progressing',
    reason: left.length === 0 ? '' : `waits for ${named(left.map(({ site }) => site))}`,
    sites: { done, now: left.length, toCome: 0 },
    batches: [],
    left,
  }
}

function stepwise(
  { sites }: PlacedSites,
  run: DeploymentRun,
  stand: Stand,
  seen: Seen,
): Omit<DeploymentStatus, 'name' | 'application'> {
  const { reached, open, batches } = stand
  const now = sites.filter(site => open.has(site) && !reached.has(site)).length
  const done = sites.filter(site => reached.has(site)).length
  return {
    version: run.version,
    ...waitOf(run, stand, seen),
    sites: { done, now, toCome: sites.length - done - now },
    batches: batches.map(({ atMs, isCanary, sites }) => ({
      at: timeOf(atMs),
      ...(isCanary ? { canary: true as const } : {}),
      sites: sites.map(site => ({ site, done: reached.has(site) })),
    })),
    left: sites.filter(site => !reached.has(site)).map(site => without(site, seen)),
  }
}

function waitOf(
  run: DeploymentRun,
  { wait }: Stand,
  seen: Seen,
): Pick<DeploymentStatus, 'state' | 'reason' | 'since' | 'until' | 'approve'> {
  switch (wait.for) {
    case 'batch':
      return { state: 'progressing', reason: 'the next batch is due' }
    case 'sites':
      return {
        state: 'progressing',
        reason: `waits for ${named(wait.sites.map(site => whyOf(site, seen)))}`,
        since: timeOf(wait.sinceMs),
      }
    case 'healthy-time':
      return {
        state: 'proving',
        reason: 'the last batch is healthy, and the next one follows if it stays so',
        since: timeOf(wait.sinceMs),
        until: timeOf(wait.untilMs),
      }
    case 'word':
      return {
        state: 'waiting',
        reason: 'the canaries are healthy, and the others follow when a person says so',
        since: timeOf(wait.sinceMs),
        approve: stageId(run),
      }
    case 'resume':
      return {
        state: 'paused',
        reason: saidText('paused', wait.said),
        since: timeOf(wait.said.atMs),
      }
    case 'nothing':
      return { state: 'aborted', reason: saidText('aborted', wait.said), since: timeOf(wait.said.atMs) }
    case 'correction':
      return {
        state: 'aborted',
        reason: `failed on ${wait.failed.site}: ${wait.failed.reason}`,
        since: timeOf(wait.failed.atMs),
      }
    case 'canaries':
      return {
        state: 'waiting',
        reason: `no canary is ready: ${named(wait.sites.map(site => whyOf(site, seen)))}`,
      }
    case 'unready':
      return {
        state: 'waiting',
        reason: `all other sites have it: ${named(wait.sites.map(site => whyOf(site, seen)))}`,
      }
    case 'done':
      return wait.untilMs === undefined
        ? { state: 'done', reason: '' }
        : { state: 'proving', reason: 'all sites have it', until: timeOf(wait.untilMs) }
  }
}

function saidText(
  what: string,
  { who, message }: { readonly who: string; readonly message?: string },
): string {
  return `${what} by ${who}${message === undefined ? '' : `: ${message}`}`
}

function without(site: string, seen: Seen): SiteWithout {
  const found = seen.get(site)
  // Where nothing runs, the version is the one that is wanted.
  const version = found === undefined || found.running === 0 ? '' : found.version
  return { site, version, reason: found?.reason ?? 'was not looked at yet' }
}

function whyOf(site: string, seen: Seen): string {
  const reason = seen.get(site)?.reason ?? ''
  return reason === '' ? site : `${site} (${reason})`
}

/** The most names in one reason. */
const mostNames = 3

function named(names: readonly string[]): string {
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `${names.slice(0, mostNames).join(', ')}${more}`
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
