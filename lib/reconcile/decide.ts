import type { Engine } from '../engine.ts'
import type { AppliedTarget } from '../journal/applied.ts'
import { type Change, keyOf, type Plan, placeOf } from '../plan/change.ts'
import type { Past } from '../plan/comparison.ts'
import { type DiffResult, diff } from '../plan/diff.ts'
import type { Specification } from '../plan/fields.ts'
import type { Rules } from '../plan/hold.ts'
import type { Images } from '../plan/images.ts'
import { isStuck, type Keep, keepsOf } from '../plan/keep.ts'
import { type PlanInput, planFor } from '../plan/plan.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveState } from '../state/live.ts'
import { applicationsBefore } from './before.ts'
import type { Seen } from './observe.ts'
import type { World } from './world.ts'

export type Decision = {
  readonly plan: Plan
  readonly diffs: readonly (DiffResult & { readonly site: string })[]
  /** What the plan would hold or have waiting, where it keeps services as they were before instead. */
  readonly stuck: readonly Change[]
  /** The same, where these changes are not to be had now: their services are kept as they were before. */
  readonly keeping: (waiting: readonly Change[]) => Promise<Decision>
}

/** What one pass says besides what is wanted and what is there. */
export type DecideOptions = Pick<Rules, 'onlyRepairs' | 'backingOff'> & {
  /** What is quarantined or barred is tried again. */
  readonly retry: boolean
}

/**
 * Compares, and plans. Asks the sites for networks and volumes only when something differs, and until nothing is left
 * to do; for images only then, and only where old ones are to be removed. What cannot get what is wanted is compared
 * with what it had before.
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
    // What is only to be seen by looking around, as networks that a crash left behind, is looked for until it is gone.
    memory.lookedAround = plan.changes.length + plan.blocked.length + plan.unseen.length === 0
    const told = new Set(plan.changes.filter(({ held }) => held !== undefined).map(keyOf))
    const kept = new Set(keeps.map(({ difference }) => keyOf(difference)))
    const stuck = first.changes.filter(change => kept.has(keyOf(change)) && !told.has(keyOf(change)))
    return { plan, diffs, stuck, keeping: planKeeping }
  }
  return planKeeping([])
}

/** Whether it brings something else in place of what serves: neither a removal nor a repair. */
function isReplacing({ cause }: Change): boolean {
  return cause === 'missing' || cause === 'diverged'
}

/** What is due of the services that cannot get what is wanted: of those changes, and of what is blocked or unknown. */
async function keepsIn(
  world: World,
  desired: DesiredState,
  { sites }: Seen,
  past: Past & { readonly applied: ReadonlyMap<string, AppliedTarget> },
  changes: readonly Change[],
  diffs: Decision['diffs'],
  signal: AbortSignal,
): Promise<readonly Keep[]> {
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
          const { site, application } = placeOf(key)
          return site === live.site && unknown.has(application)
        }),
      ])
      if (stuck.size === 0) return []
      const before = await applicationsBefore(world, desired, live.site, stuck, past.applied, signal)
      return keepsOf({ desired, live, past, stuck, before })
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

/** The journal keeps what we once wrote into it ourselves, by its hash. */
function instanceOf(stored: unknown): Specification | undefined {
  return stored as Specification | undefined
}
