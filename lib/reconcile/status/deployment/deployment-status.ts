import type { Stand } from '../../../fleet/spread/stand.ts'
import type { HeldVersion } from '../../../journal/fleet/held-versions.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { optional } from '../../../object.ts'
import type { Obstacle } from '../../../state/fleet/obstacle.ts'
import { atOnceText } from '../../../state/fleet/same-version.ts'
import { isoText, optionalTime } from '../../../text/time.ts'
import { inPieces } from '../../concurrency/in-pieces.ts'
import type { Pacing } from '../../concurrency/pacing.ts'
import { hasVersion } from '../../fleet/turns.ts'
import { isAsWanted } from '../application/application-status.ts'
import type { DeploymentStand, DeploymentState, SiteCounts } from './deployment-stand.ts'
import { doneText, firstOpening, named, waitOf, withChanging } from './deployment-words.ts'
import { joinedIn } from './joined-sites.ts'
import { relabelled, withRelabelled } from './meant-otherwise.ts'
import { placedNow, type RunSource, runNow } from './run-now.ts'
import {
  isClosed,
  isLeftOut,
  isPersonAwaited,
  isTwin,
  isUnanswering,
  type SeenOnSites,
  type SeenSource,
  whyOf,
} from './site-reasons.ts'
import { type SiteWithout, withoutRepeating, withoutVersion } from './site-without.ts'
import { onlyVersionOn, versionOn } from './version-there.ts'

/** A deployment as `status` and `deployment` show it: its batches, and what it waits for. Times are in ISO 8601. */
export type DeploymentStatus = DeploymentStand & {
  readonly name: string
  readonly application: string
  /** The version that it brings to its sites; absent: none yet. */
  readonly version?: string
  readonly sites: SiteCounts
  readonly batches: readonly BatchStatus[]
  /**
   * The sites that are not done, or still without the content that the version has now, those that were taken out or have
   * joined since it began, and those that it means otherwise by their labels now.
   */
  readonly left: readonly SiteWithout[]
}

export type BatchStatus = {
  readonly at: string
  readonly canary?: true
  /** It has the sites that had the version with another content when the run began. */
  readonly otherContent?: true
  readonly sites: readonly { readonly site: string; readonly done: boolean }[]
}

/** What is on record of the deployments of an environment, and what was seen on its sites. */
export type DeploymentSource = RunSource & SeenSource

/**
 * Returns the deployments of an environment, from what the journal knows of them. Each takes longer the more sites it has.
 * @param goOn waited for between two of them
 */
export async function deploymentStatuses(
  source: DeploymentSource,
  seenOf: (application: string) => SeenOnSites,
  goOn: Pacing['goOn'],
): Promise<readonly DeploymentStatus[]> {
  const { environment, journal } = source
  const placements = journal.placements(environment)
  const obstacles = journal.obstacles(environment)
  const names = [...new Set([...placements.keys(), ...obstacles.keys()])].sort()
  if (names.length === 0) return []
  const held = new Map(journal.heldVersions(environment).map(one => [one.application, one]))
  const statusesUnder = (name: string): readonly DeploymentStatus[] => {
    const [placed, obstacle] = [placements.get(name), obstacles.get(name)]
    const application = obstacle?.application ?? placed?.deployment.application
    if (application === undefined) return []
    const own = seenOf(application)
    if (obstacle !== undefined && !isOfWhatRuns(obstacle, placed, own))
      return [{ name, application, ...obstructed(obstacle, placed?.sites ?? [], own) }]
    return placed === undefined
      ? []
      : [{ name, application, ...carriedOut(source, placed, held.get(application), own) }]
  }
  return (await inPieces(names, statusesUnder, goOn, 1)).flat()
}

function carriedOut(
  source: RunSource,
  placed: PlacedSites,
  held: HeldVersion | undefined,
  seen: SeenOnSites,
): Told {
  const { here, gone } = placedNow(source, placed)
  const joined = joinedIn(source, placed).map(site =>
    isTwin(site, seen)
      ? withoutVersion(site, seen)
      : { site, version: versionOn(site, seen), reason: joinedReason(placed.deployment.name) },
  )
  const { joins, leaves } = relabelled(source, placed)
  const changes = { joins: joins.filter(site => !isTwin(site, seen)), leaves }
  const andRelabelled = (left: Told['left']) =>
    withRelabelled(left, changes, placed.deployment.name, site => versionOn(site, seen))
  const begun = held === undefined ? runNow(source, placed) : undefined
  const run = begun !== undefined && wasHeld(begun, here, seen) ? undefined : begun
  if (run === undefined) {
    const version =
      held?.version ?? begun?.of.version ?? placed.deployment.version ?? onlyVersionOn(here.sites, seen)
    const told = atOnce(here, version, held?.atMs, seen)
    return { ...told, left: andRelabelled([...told.left, ...joined]) }
  }
  const told = withFailedSite(stepwise(here, run, seen), run.stand, seen)
  const without = gone.filter(site => !run.reached.has(site))
  const left = without.map(site => ({ site, version: '', reason: goneReason }))
  return { ...told, left: andRelabelled([...told.left, ...left, ...joined]) }
}

/** Whether all sites came to the version of a run because somebody held it. Nothing is known yet of what follows. */
function wasHeld(
  { of, stand }: NonNullable<ReturnType<typeof runNow>>,
  { sites }: PlacedSites,
  seen: SeenOnSites,
): boolean {
  const isUntouched = stand.batches.length + stand.reached.size === 0
  return isUntouched && sites.every(site => versionOn(site, seen) === of.version)
}

const goneReason =
  'is not among the sites any more, or its file is wrong (see "tallyman sites"); what runs there stays'

function joinedReason(deployment: string): string {
  return `has joined since, and is not part of it yet: "tallyman redeploy ${deployment}" decides`
}

/** What is told of a deployment besides its names. */
type Told = Omit<DeploymentStatus, 'name' | 'application'>

/** Whether only an image of the version cannot be resolved that all sites have, so that it is needed nowhere. */
function isOfWhatRuns(
  { code, version }: Obstacle,
  placed: PlacedSites | undefined,
  seen: SeenOnSites,
): boolean {
  return code === 'digest-unknown' && placed?.sites.every(site => versionOn(site, seen) === version) === true
}

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
  return awaited.includes(code) ? 'waiting' : 'blocked'
}

/** A version, or an image of it, that may be there later, without another commit. */
const awaited: readonly Obstacle['code'][] = [
  'version-missing',
  'digest-unknown',
  'image-not-found',
  'registry-denied',
]

function atOnce(
  { sites: all }: PlacedSites,
  version: string | undefined,
  sinceMs: number | undefined,
  seen: SeenOnSites,
): Told {
  const isDone = (site: string) => {
    const own = seen.on.get(site)
    const isThere = version === undefined || versionOn(site, seen) === version
    return own !== undefined && isThere && isAsWanted(own) && !isUnanswering(site, seen)
  }
  const sites = all.filter(site => !isTwin(site, seen))
  const left = all.filter(site => !isDone(site))
  const open = left.filter(site => !isTwin(site, seen))
  const waiting = open.filter(site => isPersonAwaited(site, seen) || isClosed(site, seen))
  return {
    ...optional('version', version),
    state: open.length === 0 ? 'done' : open.length === waiting.length ? 'waiting' : 'progressing',
    ...(open.length === 0
      ? { reason: doneText(sites) }
      : {
          reason: `waits for ${named(open.map(site => whyOf(site, seen)))}`,
          ...optionalTime('since', sinceMs),
          ...firstOpening(open, seen),
        }),
    sites: {
      done: sites.length - open.length,
      now: open.length - waiting.length,
      toCome: waiting.length,
    },
    batches: [],
    left: left.map(site => withoutVersion(site, seen)),
  }
}

function stepwise(
  { sites }: PlacedSites,
  { of: run, stand, reached: everReached, isOtherContent, asked }: NonNullable<ReturnType<typeof runNow>>,
  seen: SeenOnSites,
): Told {
  const { reached, had, lost, open, batches } = stand
  const counted = sites.filter(site => !isTwin(site, seen))
  const changing = sites.filter(
    site => had.has(site) || (reached.has(site) && seen.on.get(site)?.otherContent === true),
  )
  const isChanging = new Set(changing)
  const isMember = new Set(sites)
  const isSilent = (site: string) => reached.has(site) && lost.has(site)
  const isDone = (site: string) => reached.has(site) && !lost.has(site) && !isChanging.has(site)
  const isOpen = (site: string) => open.has(site) && !(stand.wait.for === 'resume' && isChanging.has(site))
  const now = counted.filter(site => isOpen(site) && !isDone(site) && !isSilent(site)).length
  const [done, silent] = [counted.filter(isDone).length, counted.filter(isSilent).length]
  const leftOut = counted.filter(site => !isDone(site) && !isSilent(site) && isLeftOut(site, seen)).length
  const having = counted.filter(site => hasVersion(stand, site)).length
  const atOnce = atOnceText({ version: run.version, having, sites: counted.length })
  const wait = waitOf(run, asAwaited(stand, seen), counted, seen, asked)
  const told = withChanging(wait, atOnce, changing, stand, seen)
  return {
    version: run.version,
    ...told,
    sites: {
      ...{ done, now, toCome: counted.length - done - now - silent - leftOut },
      ...(silent === 0 ? {} : { silent }),
      ...(leftOut === 0 ? {} : { leftOut }),
    },
    // Nothing is told of a batch all sites of which have begun anew since, are counted in place of others, or are gone
    // without the version.
    batches: batches.flatMap(({ atMs, isCanary, sites }, index) => {
      const told = sites.filter(site => !isTwin(site, seen) && (isMember.has(site) || everReached.has(site)))
      if (told.length === 0) return []
      return [
        {
          at: isoText(atMs),
          ...(isCanary ? { canary: true as const } : {}),
          ...(index === 0 && isOtherContent ? { otherContent: true as const } : {}),
          sites: told.map(site => ({ site, done: everReached.has(site) && !lost.has(site) })),
        },
      ]
    }),
    left: sites
      .filter(site => !isDone(site))
      .map(site => withoutRepeating(withoutVersion(site, seen), stand, told.state, seen)),
  }
}

/** Tells of a site that failed with the version, and keeps it, as failed and not as done (A33). */
function withFailedSite(told: Told, { wait }: Stand, seen: SeenOnSites): Told {
  const site = wait.for === 'correction' ? wait.failed.site : undefined
  const isDone = told.batches.some(({ sites }) => sites.some(one => one.site === site && one.done))
  if (site === undefined || !isDone || told.left.some(one => one.site === site)) return told
  return {
    ...told,
    sites: { ...told.sites, failed: 1 },
    batches: told.batches.map(batch => ({
      ...batch,
      sites: batch.sites.map(one => (one.site === site ? { ...one, done: false } : one)),
    })),
    left: [{ site, version: versionOn(site, seen), reason: 'failed' }, ...told.left],
  }
}

/** Nobody waits for a site that is the engine of another one, or that somebody has left out of the version. */
function asAwaited(stand: Stand, seen: SeenOnSites): Stand {
  const { wait } = stand
  if (wait.for !== 'unready') return stand
  const sites = wait.sites.filter(site => !isTwin(site, seen) && !isLeftOut(site, seen))
  return { ...stand, wait: sites.length === 0 ? { for: 'done' } : { ...wait, sites } }
}
