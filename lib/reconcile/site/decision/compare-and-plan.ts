import { optional } from '../../../object.ts'
import { type Change, keyOf, type Plan, splitKey } from '../../../plan/change/change.ts'
import { isOfFailure } from '../../../plan/change/change-for.ts'
import type { Images } from '../../../plan/change/clean-up/unneeded-images.ts'
import { isAbandoned, isStuck, type Keep, keepsOf } from '../../../plan/change/keep-before.ts'
import { type DiffResult, diff } from '../../../plan/compare/diff.ts'
import { needsPorts } from '../../../plan/hold/held-by-ports.ts'
import { needsServices } from '../../../plan/hold/held-by-services.ts'
import { volumesToMake } from '../../../plan/hold/held-by-volumes.ts'
import { needsResources } from '../../../plan/needs-resources.ts'
import { type PlanInput, planFor, unseenPlan } from '../../../plan/plan.ts'
import type { MadeVolume, SiteResources } from '../../../plan/resources.ts'
import { needsNodes } from '../../../plan/warning/nodes-lacking.ts'
import { defaultStrategy } from '../../../spec/read/strategy.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { LiveState } from '../../../state/running/live.ts'
import { applicationsBefore } from '../../repository/version/applications-before.ts'
import type { PutAside } from '../identity/put-aside.ts'
import type { SeenSite } from '../observe.ts'
import type { SiteWorld } from '../site.ts'
import { begunInstead } from '../upgrade/goes-on-with.ts'
import { type Exchange, type Upgrades, upgradesOn } from '../upgrade/upgrades.ts'
import { windowOn } from '../upgrade/window-now.ts'
import { knownInstances } from './known-instance.ts'
import { type KnownPast, noPast, pastOf } from './known-past.ts'
import { portsTaken, type WantedOn } from './ports-beside.ts'
import { type RuleOptions, rulesOf } from './rules.ts'
import { shapedFor } from './wanted-here.ts'

export type Decision = {
  readonly plan: Plan
  /** What the site was compared with: not the wanted version of applications that get to it by way of others. */
  readonly desired: DesiredState
  /** How the site differs from what is wanted; absent: it did not answer. */
  readonly diff?: DiffResult
  /** What was on record of the services when it was compared; absent: it did not answer. */
  readonly past?: KnownPast
  /** Why what was on record of the site does not count; absent: it does. */
  readonly putAside?: PutAside
  /** How the volumes of the site are made; absent: nobody asked, or there are none. */
  readonly made?: readonly MadeVolume[]
  /** Changes that the plan would hold, or that would wait, and whose services it keeps as they were before instead. */
  readonly stuck: readonly Change[]
  /** What waits for its window, or to come after another version. */
  readonly upgrades?: Pick<Upgrades, 'next' | 'queues' | 'failed'>
  /** When the open window closes that an upgrade needs, in ms since 1970. */
  readonly closesMs?: number
  /** Decides again for the case that these changes cannot be made now: their services are kept as they were before. */
  readonly keeping: (waiting: readonly Change[]) => Promise<Decision>
}

/** The conditions of one pass, and how another version takes the place of the wanted one. */
export type DecideOptions = RuleOptions & {
  readonly exchange: Exchange
  readonly wantedOn: WantedOn
  /** Why what is on record of the site does not count; absent: it does. */
  readonly putAside?: PutAside
  /** Whether this process writes there, and nobody else. */
  readonly isOurs: boolean
}

/**
 * Compares a site with what is wanted, and plans. Asks the site for networks and volumes only if something differs that
 * may need others than before, and until nothing is left to do. Asks for images only then, and only if old ones are to be
 * removed. If a service cannot get what is wanted, it is compared with what it had before.
 */
export async function decide(
  site: SiteWorld,
  desired: DesiredState,
  seen: SeenSite,
  options: DecideOptions,
  signal: AbortSignal,
): Promise<Decision> {
  const { surroundings } = site.memory
  // Whoever else writes there may change all of it.
  if (!options.isOurs || options.putAside !== undefined || !('live' in seen)) surroundings.forget()
  if (!('live' in seen)) {
    const plan = unseenPlan(desired, seen.site)
    const unseen: Decision = { plan, desired, stuck: [], keeping: async () => unseen }
    return unseen
  }
  const { world, engine } = site
  const { journal } = world
  const { environment } = desired
  const { live } = seen
  const past = options.putAside === undefined ? pastOf(site, environment, live) : noPast
  const asked = diff(desired, live, past)
  const { closedWindow, closesMs } = await windowOn(site, asked)
  const window = optional('closedWindow', closedWindow)
  const upgrades = await upgradesOn(
    site,
    { desired, live, past, diff: asked },
    { ...window, exchange: options.exchange, retry: options.retry },
    signal,
  )
  const known = surroundings.known()
  /** Plans for what is desired; `next` says what comes of applications that another version is wanted of. */
  const planWith = async (
    here: DesiredState,
    found: DiffResult,
    next: Upgrades['next'],
  ): Promise<{
    readonly input: PlanInput
    readonly first: Plan
    /** Asks the site what it has. Absent: that was just done. */
    readonly askAgain?: () => Promise<SiteResources>
  }> => {
    const differs = found.differences.length > 0
    const isAsked =
      known === undefined || here.blocked.length > 0 || (differs && needsResources(found, known))
    const ask = () => resourcesFor(site, here, found, options.wantedOn, signal)
    const resources = isAsked ? await ask() : differs ? known : { networks: [], volumes: [] }
    const images = isAsked && !differs ? await imagesOn(site, signal) : undefined
    if (isAsked) await world.pacing.goOn()
    const input: PlanInput = {
      desired: here,
      diff: found,
      resources,
      live,
      specificationOf: knownInstances(journal),
      rules: { ...rulesOf(site, environment, options), ...window, upgrades: next },
      loaded: differs ? journal.routes(environment, engine.site) : [],
      lastFailure: (name, version) => journal.lastFailure(environment, name, version),
      keepFailed: world.config.keepFailed,
      ...(options.putAside === 'swarm-made-anew' ? { isSwarmMadeAnew: true } : {}),
      ...(images === undefined ? {} : { images }),
    }
    return { input, first: planFor({ ...input, restores: false }), ...(isAsked ? {} : { askAgain: ask }) }
  }
  const asWanted = await planWith(upgrades.desired, upgrades.diff, upgrades.next)
  const stuckFirst = asWanted.first.changes.filter(isStuck)
  const planKeeping = async (waiting: readonly Change[]): Promise<Decision> => {
    const unable = [...stuckFirst, ...waiting.filter(isReplacing)]
    const begun = await begunInstead(site, { live, past, upgrades }, unable, options, signal)
    const { input, first, askAgain } =
      begun === undefined ? asWanted : await planWith(begun.desired, begun.diff, begun.next)
    const { desired: here, diff: found } = input
    const isBegun = ({ application }: Change) => begun?.names.has(application) === true
    const abandoned = first.changes.filter(change => isAbandoned(change, past))
    const stuckNow = [...first.changes.filter(isStuck), ...abandoned]
    const stuckHere = [...stuckNow, ...waiting.filter(change => isReplacing(change) && !isBegun(change))]
    const keeps = await keepsOn(site, here, live, past, stuckHere, found, signal)
    const resources = keeps.length > 0 && askAgain !== undefined ? await askAgain() : input.resources
    const isOther = keeps.length > 0 || stuckNow.some(({ held }) => isOfFailure(held))
    const made = isOther ? planFor({ ...input, resources, keeps }) : first
    const plan = begun === undefined ? made : { ...made, blocked: [...made.blocked, ...begun.blocked] }
    // Some things show only in a closer look, such as networks that a crash left behind. The look is repeated until
    // they are gone.
    const isClean = plan.changes.length + plan.blocked.length === 0
    if (askAgain === undefined) {
      if (isClean && options.isOurs) surroundings.setKnown(resources)
      else surroundings.forget()
    }
    const held = new Set(plan.changes.filter(({ held }) => held !== undefined).map(keyOf))
    const kept = new Set(keeps.map(({ difference }) => keyOf(difference)))
    const stuck = asWanted.first.changes.filter(
      change =>
        isBegun(change) ||
        (kept.has(keyOf(change)) && !held.has(keyOf(change)) && !isAbandoned(change, past)),
    )
    const told = {
      ...optional('closesMs', closesMs),
      ...optional('putAside', options.putAside),
      ...optional('made', askAgain === undefined ? resources.made : undefined),
    }
    const came = begun === undefined ? upgrades : { ...upgrades, ...begun }
    return { plan, desired: here, diff: found, past, stuck, upgrades: came, ...told, keeping: planKeeping }
  }
  return planKeeping([])
}

/** Returns what a site has that its differences may need. Each kind of it takes a call. */
async function resourcesFor(
  site: SiteWorld,
  desired: DesiredState,
  found: DiffResult,
  wantedOn: WantedOn,
  signal: AbortSignal,
): Promise<SiteResources> {
  const [resources, ports, nodes, takenServices] = await Promise.all([
    site.engine.resources(desired, signal),
    needsPorts(found) ? portsTaken(site, desired, wantedOn, signal) : [],
    needsNodes(found) ? site.engine.nodes?.(signal) : undefined,
    needsServices(found) ? site.engine.takenServices?.(desired, signal) : undefined,
  ])
  const toMake = volumesToMake(found, resources)
  const takenVolumes =
    toMake.length === 0 ? undefined : await site.engine.takenVolumes?.(toMake, desired, signal)
  return {
    ...{ ...resources, ports },
    ...optional('nodes', nodes),
    ...optional('takenServices', takenServices),
    ...optional('takenVolumes', takenVolumes),
  }
}

/** Whether a change replaces something that serves: it is neither a removal nor a repair. */
function isReplacing({ cause }: Change): boolean {
  return cause === 'missing' || cause === 'diverged'
}

/**
 * Returns what is due for services that cannot get what is wanted: those of these changes, and those that are blocked
 * or unknown.
 */
async function keepsOn(
  { world, engine }: SiteWorld,
  desired: DesiredState,
  live: LiveState,
  past: KnownPast,
  changes: readonly Change[],
  { undecided }: DiffResult,
  signal: AbortSignal,
): Promise<readonly Keep[]> {
  const unknown = new Set([...desired.blocked, ...undecided].map(({ application }) => application))
  const known = [...past.applied.keys(), ...past.attempts.keys()]
  const stuck = new Set([
    ...changes.map(keyOf),
    ...known.filter(key => unknown.has(splitKey(key).application)),
  ])
  if (stuck.size === 0) return []
  const strategy = defaultStrategy(world.config.healthyMs)
  const loaded = world.journal.routes(desired.environment, live.site)
  const then = await applicationsBefore(world, desired, live.site, stuck, past.applied, signal)
  const before = await shapedFor(engine, { ...desired, applications: then, blocked: [] })
  return keepsOf({ desired, live, past, stuck, before: before.applications, strategy, loaded })
}

async function imagesOn(
  { world: { config, journal }, engine }: SiteWorld,
  signal: AbortSignal,
): Promise<Images | undefined> {
  const { prune, keep } = config.images
  if (!prune) return undefined
  const [versions, keptVersions] = [journal.versions(engine.site), journal.allKeptVersions()]
  return { keep, versions, keptVersions, there: await engine.images(signal) }
}
