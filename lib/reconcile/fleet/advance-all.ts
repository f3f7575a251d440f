import { cutShort } from '../../fleet/spread/cut-short.ts'
import type { WindowState } from '../../fleet/window/window.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import type { JournalIdentity } from '../../journal/store/identity.ts'
import { optional } from '../../object.ts'
import type { Application } from '../../state/application/application.ts'
import { type DesiredState, variantFor } from '../../state/application/desired.ts'
import { versionOf } from '../../state/application/version-of.ts'
import { hashOf } from '../../state/canonical.ts'
import type { Deployment } from '../../state/fleet/deployment.ts'
import { type DeploymentRun, type RecordedFact, unrecorded } from '../../state/fleet/run.ts'
import { least } from '../extremes.ts'
import { sitesNow } from '../site/site.ts'
import { noteClosed, windowsNow } from '../site/upgrade/closed-sites.ts'
import type { World } from '../world.ts'
import { type AdvanceInput, advance, type News } from './advance.ts'
import { begunOn, begunSites } from './begun-on.ts'
import { contentHashes } from './findings/contents.ts'
import { obstaclesOf } from './obstacles.ts'
import { type LastSeen, lastSeenIn } from './sites/last-seen.ts'
import { placementsBefore } from './still-placed.ts'
import type { DeploymentTurn } from './turns.ts'

/**
 * Brings all deployments of an environment as far as they can go now, so that the passes over its sites know whose turn
 * it is. Only a process that writes to sites does so, and only to those: as long as it is not known who writes where, the
 * deployments stay where they are, and nothing is recorded (D17). Nothing is drawn on what was seen before the end of a
 * healthy time. `mode`: with `look`, what would happen is only looked at, and not recorded; with `step`, a command asks,
 * whose journal may be that of a daemon, so nothing happens while another process writes to any of the sites. Returns
 * when the next healthy time ends, or the windows of a site open that no pass has found closed; undefined: none does.
 */
export function advanceAll(
  world: World,
  desired: DesiredState,
  mode: 'look' | 'step' | 'watch',
): number | undefined {
  const { journal, memory, config } = world
  const { environment } = desired
  const isLook = mode === 'look'
  const moves = isLook || memory.whose.areOurs(world.engines.length, mode === 'step')
  const writes = moves && !isLook
  memory.fleet.turns.setMoves(moves)
  memory.fleet.noteClock(world)
  const deployments = (desired.deployments ?? []).map(one => cutShort(one, config.longestHealthyMs))
  const placements = journal.placements(environment)
  if (!hasDeployments(world, desired)) return undefined
  const lastSeen = lastSeenIn(world, desired)
  const held = new Set(journal.heldVersions(environment).map(({ application }) => application))
  const sites = sitesNow(world)
  const windowOn = windowsNow(world)
  const openings: (number | undefined)[] = []
  const placementOf = placementsBefore(placements, deployments)
  const turns = deployments.map(deployment => {
    const { turn, news, opensMs } = advanceOne(world, desired, deployment, placementOf(deployment), {
      sites,
      lastSeen,
      windowOn,
      isHeld: held.has(deployment.application),
      isWatched: !isLook,
      moves,
    })
    openings.push(opensMs)
    if (!writes || news.length === 0) return turn
    const run = record(world, environment, deployment, news)
    // What it begins with counts from now, whatever the clock is set to before it is looked at again.
    if (run !== undefined) memory.fleet.facts(run, world)
    return turn.run === undefined || run === undefined ? turn : { ...turn, run: { ...turn.run, of: run } }
  })
  if (writes) {
    forgetGone(world, desired, placements)
    journal.setObstacles(environment, obstaclesOf(turns, desired, placements), world.nowMs())
  }
  memory.fleet.setTurns(turns)
  return least([nextOf(turns), ...openings])
}

/** Whether an environment has deployments, or had some when it was last looked at. */
export function hasDeployments(
  { journal, memory }: Pick<World, 'journal' | 'memory'>,
  { environment, deployments = [] }: Pick<DesiredState, 'environment' | 'deployments'>,
): boolean {
  return (
    deployments.length + memory.fleet.turns.all().length > 0 ||
    journal.placements(environment).size + journal.obstacles(environment).size > 0
  )
}

/** A deployment that cannot be read is not gone: its application is blocked, and its sites are as they were (D15). */
function forgetGone(
  { journal }: World,
  { environment, deployments = [], blocked }: DesiredState,
  placements: ReadonlyMap<string, PlacedSites>,
): void {
  const names = new Set(deployments.map(({ name }) => name))
  const unknown = new Set(blocked.map(({ application }) => application))
  for (const [name, { deployment }] of placements)
    if (!names.has(name) && !unknown.has(deployment.application)) journal.forgetPlacement(environment, name)
}

function advanceOne(
  world: World,
  desired: DesiredState,
  deployment: Deployment,
  placement: PlacedSites | undefined,
  {
    sites,
    lastSeen,
    windowOn,
    isHeld,
    isWatched,
    moves,
  }: Pick<AdvanceInput, 'sites' | 'isHeld' | 'moves'> & {
    readonly lastSeen: LastSeen
    /** Whether what would be drawn depends on what passes have judged. */
    readonly isWatched: boolean
    readonly windowOn: (site: string) => WindowState
  },
): ReturnType<typeof advance> & { readonly opensMs?: number } {
  const { journal, memory, nowMs } = world
  const { environment, applications } = desired
  const application = applications.find(({ name }) => name === deployment.application)
  const run = journal.run(environment, deployment.application)
  const apart = application === undefined ? undefined : versionsApart(desired, application)
  const wanted = application && wantedOf(application)
  const seen = (site: string) => {
    const found = application && lastSeen.of(site, application.name)
    return found?.version === wantedOn(site) ? found : undefined
  }
  // A look in the middle of a change says nothing of what that comes to.
  const lookedMs = (site: string) =>
    run === undefined || memory.fleet.seen.isChanged(site, deployment.application)
      ? undefined
      : memory.fleet.looks.lastMs(run, site)
  const wantedOn = (site: string) => apart?.get(site) ?? wanted?.version
  const opensMs =
    application === undefined || wanted === undefined || isHeld
      ? undefined
      : noteClosed(world, {
          ...{ environment, application: application.name, windowOn },
          sites: placement?.sites ?? sites.map(({ name }) => name),
          hasOther(site) {
            const found = lastSeen.of(site, application.name)
            return found !== undefined && found.version !== wantedOn(site)
          },
        })
  const advanced = advance({
    environment,
    deployment,
    isHeld,
    wanted,
    ...optional('apart', apart),
    contentOn: site => {
      const own = variantFor(desired, site).applications.find(({ name }) => name === deployment.application)
      return own && contentHashes(own)
    },
    sites,
    placement,
    run,
    facts: run === undefined ? [] : memory.fleet.facts(run, world),
    isReady: site => memory.fleet.readiness.isReady(deployment.application, site),
    isSilent: memory.fleet.readiness.isSilent,
    hasBegun: begunOn(journal, environment, deployment.application),
    moves,
    lookedMs: isWatched ? lookedMs : undefined,
    isSeen: memory.fleet.readiness.isSeen,
    isChanging: isWatched ? changingSites(world, environment, deployment, lookedMs) : undefined,
    hasIt: site => {
      const found = seen(site)
      // A version that only this site has is what its own directory says, whatever the others get.
      return found?.isHealthy === true && (apart?.has(site) === true || found.content === wanted?.content)
    },
    hasVersion: site => seen(site) !== undefined,
    mayRun: site => lastSeen.mayRun(site, deployment.application),
    nowMs: nowMs(),
    seed: seedAfter(journal, run, deployment.name),
  })
  return { ...advanced, ...optional('opensMs', opensMs) }
}

/**
 * Returns whether something that was begun of an application on a site goes on: it is being carried out, or no pass has
 * looked there since this process began. Where a pass has found that it does not go on now, it holds nobody.
 */
function changingSites(
  { journal, memory: { fleet } }: World,
  environment: string,
  { application }: Deployment,
  lookedMs: (site: string) => number | undefined,
): (site: string) => boolean {
  const begun = begunSites(journal, environment, application)
  const isUnderWay = (site: string) =>
    fleet.seen.isChanged(site, application) ||
    (fleet.readiness.isReady(application, site) && lookedMs(site) === undefined)
  return site => fleet.readiness.isSeen(site) && begun().has(site) && isUnderWay(site)
}

/**
 * Returns the seed of the run that comes next. It follows from the random id of the journal and the run before, so that
 * whoever only looks draws what is drawn later.
 */
function seedAfter(journal: JournalIdentity, run: DeploymentRun | undefined, deployment: string): number {
  const hash = hashOf([journal.identity(), deployment, run?.id ?? unrecorded])
  return Number.parseInt(hash.slice(0, 8), 16)
}

/** Returns the run that it is about. After a crash, all of it is there or nothing. */
function record(
  { journal }: World,
  environment: string,
  { application }: Deployment,
  news: readonly News[],
): DeploymentRun | undefined {
  return journal.atOnce(() => {
    let run = journal.run(environment, application)
    for (const [index, one] of news.entries()) {
      if (one.is === 'placement') journal.setPlacement(environment, one.placement)
      else if (one.is === 'run') return journal.beginRun(one.run, news.slice(index).flatMap(factIn))
      else if (run === undefined) continue
      else if (one.is === 'fact') journal.addFact(run.id, one.fact)
      else run = journal.setContent(run, one.content)
    }
    return run
  })
}

function factIn(one: News): readonly RecordedFact[] {
  return one.is === 'fact' ? [one.fact] : []
}

function wantedOf(application: Application): AdvanceInput['wanted'] {
  const content = contentHashes(application)
  return content && { version: versionOf(application), ...content }
}

/** Returns the versions of the sites that should have another one than all others (A72). */
function versionsApart(
  { variants }: DesiredState,
  application: Application,
): ReadonlyMap<string, string> | undefined {
  if (variants === undefined) return undefined
  const common = versionOf(application)
  const apart = [...variants].flatMap(([site, { applications }]) => {
    const own = applications.find(({ name }) => name === application.name)
    const version = own === undefined || own === application ? common : versionOf(own)
    return version === common ? [] : [[site, version] as const]
  })
  return new Map(apart)
}

function nextOf(turns: readonly DeploymentTurn[]): number | undefined {
  return turns.reduce<number | undefined>((next, { run }) => {
    const wait = run?.stand.wait
    const untilMs = wait?.for === 'healthy-time' || wait?.for === 'done' ? wait.untilMs : undefined
    return untilMs === undefined ? next : Math.min(next ?? untilMs, untilMs)
  }, undefined)
}
