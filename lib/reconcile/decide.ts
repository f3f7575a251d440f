import type { Engine } from '../engine.ts'
import type { Plan } from '../plan/change.ts'
import { type DiffResult, diff } from '../plan/diff.ts'
import type { Specification } from '../plan/fields.ts'
import type { Rules } from '../plan/hold.ts'
import type { Images } from '../plan/images.ts'
import { planFor } from '../plan/plan.ts'
import type { DesiredState } from '../state/desired.ts'
import type { LiveState } from '../state/live.ts'
import type { Seen } from './observe.ts'
import type { World } from './world.ts'

export type Decision = {
  readonly plan: Plan
  readonly diffs: readonly (DiffResult & { readonly site: string })[]
}

/**
 * Compares, and plans. Asks the sites for networks and volumes only when something differs, and until nothing is left
 * to do; for images only then, and only where old ones are to be removed.
 */
export async function decide(
  world: World,
  desired: DesiredState,
  { sites, unreachable }: Seen,
  retry: boolean,
  signal: AbortSignal,
): Promise<Decision> {
  const { journal, memory, engines } = world
  const { environment } = desired
  const applied = journal.applied(environment)
  const past = { applied, attempts: journal.attempts(environment), deployed: journal.deployed(environment) }
  const diffs = sites.map(live => ({ site: live.site, ...diff(desired, live, past) }))
  const differs = diffs.some(({ differences }) => differences.length > 0)
  const asked =
    differs || !memory.lookedAround
      ? sites.flatMap(({ site }) => engines.filter(engine => engine.site === site))
      : []
  const resources = await Promise.all(asked.map(engine => resourcesOf(engine, desired, signal)))
  const images = differs || asked.length === 0 ? undefined : await imagesOn(world, sites, signal)
  const plan = planFor({
    desired,
    diffs,
    resources,
    unseen: unreachable.map(({ site }) => site),
    specificationOf: fingerprint => instanceOf(journal.instance(fingerprint)),
    rules: rulesOf(world, environment, retry),
    loaded: differs ? journal.routes(environment) : [],
    ...(images === undefined ? {} : { images }),
  })
  // What is only to be seen by looking around, as networks that a crash left behind, is looked for until it is gone.
  memory.lookedAround = plan.changes.length + plan.blocked.length + plan.unseen.length === 0
  return { plan, diffs }
}

async function resourcesOf(engine: Engine, { environment, source }: DesiredState, signal: AbortSignal) {
  return { site: engine.site, ...(await engine.resources({ environment, source }, signal)) }
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

function rulesOf({ config, journal, memory, nowMs }: World, environment: string, retry: boolean): Rules {
  const { prune, drift } = config
  const quarantined = journal
    .quarantined(environment)
    .map(({ site, application, service, target, reason, atMs }) => {
      const key = `${site}/${application}/${service}`
      const isFinal = reason.code === 'not-restored'
      return [key, { target, reason: `failed before: ${reason.message}`, sinceMs: atMs, isFinal }] as const
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
    ...(retry || memory.lastApplied === undefined ? {} : { notConverging: memory.lastApplied }),
  }
}

/** The journal keeps what we once wrote into it ourselves, by its hash. */
function instanceOf(stored: unknown): Specification | undefined {
  return stored as Specification | undefined
}
