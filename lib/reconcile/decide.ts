import type { Engine } from '../engine.ts'
import type { AppliedTarget } from '../journal/applied.ts'
import { type Change, keyOf, type Plan, splitKey } from '../plan/change.ts'
import type { Past } from '../plan/comparison.ts'
import { type DiffResult, diff } from '../plan/diff.ts'
import type { InstanceSpecification } from '../plan/fields.ts'
import type { Rules } from '../plan/hold.ts'
import type { Images } from '../plan/images.ts'
import { isStuck, type Keep, keepsOf } from '../plan/keep.ts'
import { type PlanInput, planFor } from '../plan/plan.ts'
import { defaultStrategy } from '../spec/read/strategy.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveState } from '../state/live.ts'
import { applicationsBefore } from './before.ts'
import type { Seen } from './observe.ts'
import type { World } from './world.ts'

export type Decision = {
  readonly plan: Plan
  readonly diffs: readonly (DiffResult & { readonly site: string })[]
  /** Changes that the plan would hold, or that would wait, and whose services it keeps as they were before instead. */
  readonly stuck: readonly Change[]
  /** Decides again for the case that these changes cannot be made now: their services are kept as they were before. */
  readonly keeping: (waiting: readonly Change[]) => Promise<Decision>
}

/** The conditions of one pass, besides the desired and the live state. */
export type DecideOptions = Pick<Rules, 'onlyRepairs' | 'backingOff'> & {
  /** Whether to try again what is quarantined or barred. */
  readonly retry: boolean
}

/**
 * Compares and plans. Asks the sites for networks and volumes only if something differs, and until nothing is left to
 * do. Asks for images only then, and only if old ones are to be removed. If a service cannot get what is wanted, it is
 * compared with what it had before.
 */
export async function decide(
  world: World,
  desired: DesiredState,
  seen: Seen,
  options: DecideOptions,
  signal: AbortSignal,
): Promise<Decision> {
  const { sites, unreachable } = seen
  const { journal, memory, engines } = world
  const { environment } = desired
  const applied = journal.applied(environment)
  const past = { applied, attempts: journal.attempts(environment), deployed: journal.deployed(environment) }
  const diffs = sites.map(live => ({ site: live.site, ...diff(desired, live, past) }))
  const differs = diffs.some(({ differences }) => differences.length > 0)
  const asked =
    differs || desired.blocked.length > 0 || !memory.lookedAround
      ? sites.flatMap(({ site }) => engines.filter(engine => engine.site === site))
      : []
  const resources = await Promise.all(asked.map(engine => resourcesOf(engine, desired, signal)))
  const images = differs || asked.length === 0 ? undefined : await imagesOn(world, sites, signal)
  const input: PlanInput = {
    desired,
    diffs,
    resources,
    live: sites,
    unseen: unreachable.map(({ site }) => site),
    specificationOf: fingerprint => instanceOf(journal.instance(fingerprint)),
    rules: rulesOf(world, environment, options),
    loaded: differs ? journal.routes(environment) : [],
    keepFailed: world.config.keepFailed,
    ...(images === undefined ? {} : { images }),
  }
  const planKeeping = async (waiting: readonly Change[]): Promise<Decision> => {
    const first = planFor({ ...input, restores: false })
    const keeps = await keepsIn(
      world,
      desired,
      seen,
      past,
      [...first.changes.filter(isStuck), ...waiting.filter(isReplacing)],
      diffs,
      signal,
    )
    const plan = first.changes.some(isStuck) || keeps.length > 0 ? planFor({ ...input, keeps }) : first
    // Some things show only in a closer look, such as networks that a crash left behind. The look is repeated until
    // they are gone.
    memory.lookedAround = plan.changes.length + plan.blocked.length + plan.unseen.length === 0
    const told = new Set(plan.changes.filter(({ held }) => held !== undefined).map(keyOf))
    const kept = new Set(keeps.map(({ difference }) => keyOf(difference)))
    const stuck = first.changes.filter(change => kept.has(keyOf(change)) && !told.has(keyOf(change)))
    return { plan, diffs, stuck, keeping: planKeeping }
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
async function keepsIn(
  world: World,
  desired: DesiredState,
  { sites }: Seen,
  past: Past & { readonly applied: ReadonlyMap<string, AppliedTarget> },
  changes: readonly Change[],
  diffs: Decision['diffs'],
  signal: AbortSignal,
): Promise<readonly Keep[]> {
  const strategy = defaultStrategy(world.config.healthyMs)
  const loaded = world.journal.routes(desired.environment)
  const kept = await Promise.all(
    sites.map(async live => {
      const unknown = new Set(
        [
          ...desired.blocked,
          ...diffs.flatMap(({ site, undecided }) => (site === live.site ? undecided : [])),
        ].map(({ application }) => application),
      )
      const known = [...new Set([...past.applied.keys(), ...(past.attempts?.keys() ?? [])])]
      const stuck = new Set([
        ...changes.filter(({ site }) => site === live.site).map(keyOf),
        ...known.filter(key => {
          const { site, application } = splitKey(key)
          return site === live.site && unknown.has(application)
        }),
      ])
      if (stuck.size === 0) return []
      const before = await applicationsBefore(world, desired, live.site, stuck, past.applied, signal)
      return keepsOf({ desired, live, past, stuck, before, strategy, loaded })
    }),
  )
  return kept.flat()
}

async function resourcesOf(engine: Engine, desired: DesiredState, signal: AbortSignal) {
  return { site: engine.site, ...(await engine.resources(desired, signal)) }
}

async function imagesOn(
  { config, engines, journal }: World,
  sites: readonly LiveState[],
  signal: AbortSignal,
): Promise<Images | undefined> {
  const { prune, keep } = config.images
  if (!prune) return undefined
  const answers = sites.flatMap(live =>
    engines
      .filter(({ site }) => site === live.site)
      .map(async engine => ({ live, there: await engine.images(signal) })),
  )
  return { keep, versions: journal.versions(), sites: await Promise.all(answers) }
}

function rulesOf(
  { config, journal, memory, nowMs }: World,
  environment: string,
  { retry, onlyRepairs, backingOff }: DecideOptions,
): Rules {
  const { prune, drift } = config
  const quarantined = journal
    .quarantined(environment)
    .map(({ site, application, service, release, reason, atMs }) => {
      const key = `${site}/${application}/${service}`
      const isFinal = reason.code === 'not-restored'
      return [key, { release, reason: `failed before: ${reason.message}`, sinceMs: atMs, isFinal }] as const
    })
  const suspended = journal
    .suspensions(environment, nowMs())
    .map(({ application, reason, atMs }) => [application ?? '*', { reason, sinceMs: atMs }] as const)
  const barred = journal.barred(environment).map(({ site, application, digest, message, atMs }) => {
    const reason = `its deploy failed before: ${message}`
    return [`${site}/${application}/${digest}`, { reason, sinceMs: atMs }] as const
  })
  return {
    prune,
    drift,
    barred: new Map(retry ? [] : barred),
    quarantined: new Map(retry ? [] : quarantined),
    suspended: new Map(suspended),
    ...(onlyRepairs === undefined ? {} : { onlyRepairs }),
    ...(retry || backingOff === undefined ? {} : { backingOff }),
    ...(retry || memory.lastApplied === undefined ? {} : { notConverging: memory.lastApplied }),
  }
}

/** The journal contains what Tallyman itself wrote into it, by its hash. */
function instanceOf(stored: unknown): InstanceSpecification | undefined {
  return stored as InstanceSpecification | undefined
}
