import type { Config } from '../../config.ts'
import type { AppliedTarget } from '../../journal/services/applied.ts'
import { optional } from '../../object.ts'
import { onceFor } from '../../once-for.ts'
import { type Change, keyOf, type Plan, splitKey } from '../../plan/change/change.ts'
import { isStuck, type Keep, keepsOf } from '../../plan/change/keep-before.ts'
import type { Images } from '../../plan/change/unneeded-images.ts'
import { type DiffResult, diff } from '../../plan/compare/diff.ts'
import type { InstanceSpecification } from '../../plan/compare/fields.ts'
import type { Past } from '../../plan/compare/past.ts'
import type { Rules } from '../../plan/hold/hold.ts'
import { type PlanInput, planFor, unseenPlan } from '../../plan/plan.ts'
import { defaultStrategy } from '../../spec/read/strategy.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import { ingressName } from '../../state/application/route.ts'
import type { LiveState } from '../../state/running/live.ts'
import { applicationsBefore } from '../repository/before.ts'
import type { World } from '../world.ts'
import type { Seen } from './observe.ts'
import type { SiteWorld } from './site.ts'
import { type Exchange, type Upgrades, upgradesOn } from './upgrades.ts'

export type Decision = {
  readonly plan: Plan
  /** What the site was compared with: not the wanted version of applications that get to it by way of others. */
  readonly desired: DesiredState
  /** How the site differs from what is wanted; absent: it did not answer. */
  readonly diff?: DiffResult
  /** Changes that the plan would hold, or that would wait, and whose services it keeps as they were before instead. */
  readonly stuck: readonly Change[]
  /** What waits for its window, or to come after another version. */
  readonly upgrades?: Pick<Upgrades, 'next' | 'queues' | 'failed'>
  /** When the open window closes that an upgrade needs, in ms since 1970. */
  readonly closesMs?: number
  /** Decides again for the case that these changes cannot be made now: their services are kept as they were before. */
  readonly keeping: (waiting: readonly Change[]) => Promise<Decision>
}

/** The conditions of one pass, besides the desired and the live state. */
export type DecideOptions = Pick<Rules, 'onlyRepairs' | 'backingOff' | 'turns'> & {
  /** Whether to try again what is quarantined or barred. */
  readonly retry: boolean
  readonly exchange: Exchange
}

/**
 * Compares a site with what is wanted, and plans. Asks the site for networks and volumes only if something differs, and
 * until nothing is left to do. Asks for images only then, and only if old ones are to be removed. If a service cannot
 * get what is wanted, it is compared with what it had before.
 */
export async function decide(
  site: SiteWorld,
  desired: DesiredState,
  seen: Seen,
  options: DecideOptions,
  signal: AbortSignal,
): Promise<Decision> {
  if (!('live' in seen)) {
    const plan = unseenPlan(desired, seen.site)
    const unseen: Decision = { plan, desired, stuck: [], keeping: async () => unseen }
    return unseen
  }
  const { world, engine, memory } = site
  const { journal } = world
  const { environment } = desired
  const past = {
    applied: journal.applied(environment, engine.site),
    attempts: journal.attempts(environment, engine.site),
    deployed: journal.deployed(environment, engine.site),
  }
  const { live } = seen
  const asked = diff(desired, live, past)
  const { closedWindow, closesMs } = await windowOn(site, asked)
  const window = optional('closedWindow', closedWindow)
  const upgrades = await upgradesOn(
    site,
    { desired, live, past, diff: asked },
    { ...window, exchange: options.exchange, retry: options.retry },
    signal,
  )
  const { desired: here, diff: found } = upgrades
  const differs = found.differences.length > 0
  const isAsked = differs || here.blocked.length > 0 || !memory.surroundings.areKnown()
  const resources = isAsked ? await engine.resources(here, signal) : { networks: [], volumes: [] }
  const images = isAsked && !differs ? await imagesOn(site, signal) : undefined
  if (isAsked) await world.turns.goOn()
  const input: PlanInput = {
    desired: here,
    diff: found,
    resources,
    live,
    specificationOf: fingerprint => instanceOf(journal.instance(fingerprint)),
    rules: { ...rulesOf(site, environment, options), ...window, upgrades: upgrades.next },
    loaded: differs ? journal.routes(environment, engine.site) : [],
    keepFailed: world.config.keepFailed,
    ...(images === undefined ? {} : { images }),
  }
  const first = planFor({ ...input, restores: false })
  const stuckFirst = first.changes.filter(isStuck)
  const planKeeping = async (waiting: readonly Change[]): Promise<Decision> => {
    const stuckHere = [...stuckFirst, ...waiting.filter(isReplacing)]
    const keeps = await keepsOn(world, desired, live, past, stuckHere, found, signal)
    const plan = stuckFirst.length + keeps.length > 0 ? planFor({ ...input, keeps }) : first
    // Some things show only in a closer look, such as networks that a crash left behind. The look is repeated until
    // they are gone.
    memory.surroundings.setKnown(plan.changes.length + plan.blocked.length === 0)
    const held = new Set(plan.changes.filter(({ held }) => held !== undefined).map(keyOf))
    const kept = new Set(keeps.map(({ difference }) => keyOf(difference)))
    const stuck = first.changes.filter(change => kept.has(keyOf(change)) && !held.has(keyOf(change)))
    const told = optional('closesMs', closesMs)
    return { plan, desired: here, diff: found, stuck, upgrades, ...told, keeping: planKeeping }
  }
  return planKeeping([])
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
  world: World,
  desired: DesiredState,
  live: LiveState,
  past: Past & { readonly applied: ReadonlyMap<string, AppliedTarget> },
  changes: readonly Change[],
  { undecided }: DiffResult,
  signal: AbortSignal,
): Promise<readonly Keep[]> {
  const unknown = new Set([...desired.blocked, ...undecided].map(({ application }) => application))
  const known = [...past.applied.keys(), ...(past.attempts?.keys() ?? [])]
  const stuck = new Set([
    ...changes.map(keyOf),
    ...known.filter(key => unknown.has(splitKey(key).application)),
  ])
  if (stuck.size === 0) return []
  const strategy = defaultStrategy(world.config.healthyMs)
  const loaded = world.journal.routes(desired.environment, live.site)
  const before = await applicationsBefore(world, desired, live.site, stuck, past.applied, signal)
  return keepsOf({ desired, live, past, stuck, before, strategy, loaded })
}

async function imagesOn(
  { world: { config, journal }, engine }: SiteWorld,
  signal: AbortSignal,
): Promise<Images | undefined> {
  const { prune, keep } = config.images
  if (!prune) return undefined
  const [versions, releases] = [journal.versions(engine.site), journal.allReleases()]
  return { keep, versions, releases, there: await engine.images(signal) }
}

function rulesOf(
  { world: { config, journal, nowMs }, engine, memory }: SiteWorld,
  environment: string,
  { retry, onlyRepairs, backingOff, turns }: DecideOptions,
): Rules {
  const applied = memory.convergence.applied()
  const { prune, drift } = config
  const quarantined = journal
    .quarantined(environment, engine.site)
    .map(({ site, application, service, release, reason, atMs }) => {
      const key = `${site}/${application}/${service}`
      const isFinal = reason.code === 'not-restored'
      return [key, { release, reason: `failed before: ${reason.message}`, sinceMs: atMs, isFinal }] as const
    })
  const suspended = journal
    .suspensions(environment, nowMs())
    .map(({ application, reason, atMs }) => [application ?? '*', { reason, sinceMs: atMs }] as const)
  const barred = journal
    .barred(environment, engine.site)
    .map(({ site, application, digest, message, atMs }) => {
      const reason = `its deploy failed before: ${message}`
      return [`${site}/${application}/${digest}`, { reason, sinceMs: atMs }] as const
    })
  return {
    prune,
    drift,
    barred: new Map(retry ? [] : barred),
    quarantined: new Map(retry ? [] : quarantined),
    suspended: new Map(suspended),
    ...(turns === undefined ? {} : { turns }),
    ...(onlyRepairs === undefined ? {} : { onlyRepairs, atVersion: atVersion(journal, environment) }),
    ...(retry || backingOff === undefined ? {} : { backingOff }),
    ...(retry || applied === undefined ? {} : { notConverging: applied }),
  }
}

/** The ingress is made anew for the routes of such a version. */
function atVersion(journal: World['journal'], environment: string): ReadonlySet<string> {
  const held = journal.heldVersions(environment).map(({ application }) => application)
  return new Set(held.length === 0 ? [] : [...held, ingressName])
}

/**
 * Returns why nothing is upgraded on a site now, if its windows are closed, or when they close. They are asked only
 * about an upgrade.
 */
async function windowOn(
  { world: { config, nowMs }, engine }: SiteWorld,
  { differences }: DiffResult,
): Promise<Pick<Rules, 'closedWindow'> & Pick<Decision, 'closesMs'>> {
  const windows = windowsOf(config.sites).get(engine.site)
  if (windows === undefined || !differences.some(({ arrival }) => arrival === 'upgrade')) return {}
  const { closedText, closesMs, windowAt } = await import('../../fleet/window/window.ts')
  const atMs = nowMs()
  const state = windowAt(windows, atMs)
  if (state.isOpen) return optional('closesMs', closesMs(windows, atMs))
  const { opens } = state
  const reason = closedText(state)
  return {
    closedWindow: { code: 'window-closed', reason, isQueued: true, ...optional('untilMs', opens?.ms) },
  }
}

const windowsOf = onceFor(
  (sites: Config['sites']) => new Map(sites.map(({ name, windows }) => [name, windows])),
)

/** The journal contains what Tallyman itself wrote into it, by its hash. */
function instanceOf(stored: unknown): InstanceSpecification | undefined {
  return stored as InstanceSpecification | undefined
}
