import { planJson } from '../../plan/text/json.ts'
import { renderPlan } from '../../plan/text/render.ts'
import type { Freshness } from '../../reconcile/repository/desired.ts'
import { environmentName } from '../../reconcile/repository/identity/environment-name.ts'
import { hindrancesIn, type PassResult } from '../../reconcile/site/result/pass-result.ts'
import type { DeploymentStatus } from '../../reconcile/status/deployment/deployment-status.ts'
import type { PassError } from '../../reconcile/status/error.ts'
import { type BegunRollout, underWayNow } from '../../reconcile/status/under-way-now.ts'
import type { World } from '../../reconcile/world.ts'
import { exitCode } from '../exit.ts'
import { onePass } from '../one-pass.ts'
import type { CommonFlags, PlanDetailFlags } from '../options/flags.ts'
import { outputOfOne } from '../output/in-environment.ts'
import { errorJson, type Output, reportErrors, reportUnreachable, sayOrigin } from '../output/output.ts'
import { openSession, type Session } from '../session.ts'
import { underWayText } from '../text/under-way-text.ts'

export type PlanFlags = PlanDetailFlags & { readonly detailedExitcode?: boolean; readonly retry?: boolean }

/** Shows what would be done, and touches nothing. Returns the exit code. */
export async function plan(output: Output, flags: CommonFlags & PlanFlags): Promise<number> {
  await using session = openSession(flags)
  sayOrigin(output, session.config.origin)
  const results: PassResult[] = []
  for (const world of session.worlds) {
    results.push(await makePlan(session, world, flags.retry === true))
  }
  const begun = results.map(({ plan }, at) => begunIn(session.worlds[at], plan?.environment))
  showPlans(output, session, results, begun, flags)
  if (!output.json) {
    const hasDaemon = await session.hasDaemon()
    for (const all of begun) for (const line of underWayText(all, hasDaemon)) output.note(line)
  }
  if (results.some(result => hindrancesIn(result).length > 0)) return exitCode.failed
  const pending = results.some(({ plan }) => plan !== undefined && plan.changes.length > 0)
  return flags.detailedExitcode && pending ? exitCode.changesPending : exitCode.done
}

/** Makes one pass up to the plan. */
export function makePlan(session: Session, world: World, retry: boolean): Promise<PassResult> {
  return onePass(session, world, {
    trigger: 'command',
    until: 'plan',
    freshness: freshnessOf(world, 0),
    retry,
  })
}

/**
 * Returns how new what is wanted has to be. Where the repository cannot be read, a command goes by the last good commit
 * only while somebody holds a version: such a time is what that is for (A12).
 */
export function freshnessOf(world: World, maxAgeMs: number): Freshness {
  return { maxAgeMs, lastGood: world.journal.heldVersions(environmentName(world)).length > 0 }
}

/** Returns what has begun of an environment and is not over, as far as this journal knows. */
function begunIn(world: World | undefined, environment: string | undefined): readonly BegunRollout[] {
  if (world === undefined || environment === undefined) return []
  return underWayNow(world.journal, environment, new Set(world.engines.map(({ site }) => site)))
}

function showPlans(
  output: Output,
  session: Session,
  results: readonly PassResult[],
  begun: readonly (readonly BegunRollout[])[],
  detail: PlanDetailFlags,
): void {
  if (output.json) {
    const documents = results.map((result, at) => {
      const underWay = begun[at] ?? []
      return { ...resultJson(session, result), ...(underWay.length === 0 ? {} : { underWay }) }
    })
    output.document(documents.length === 1 ? documents[0] : documents)
  }
  for (const { plan, errors, unreachable } of results) {
    const own = outputOfOne(output, plan?.environment, results.length)
    if (!output.json && plan !== undefined) own.text(renderPlan(plan, detail))
    reportUnreachable(own, unreachable)
    reportErrors(own, errors)
  }
}

/** Returns the JSON document of a plan, with its errors if there are any, and with deployments if they are told. */
export function resultJson(
  { config: { origin } }: Session,
  { plan, waiting, sync, errors, unreachable, outcome }: PassResult,
  deployments: readonly DeploymentStatus[] = [],
): object {
  const [error] = errors
  return {
    configuration: origin,
    ...(plan === undefined ? { sync, changes: [] } : planJson(plan, waiting.length > 0, sync)),
    ...(outcome === 'planned' ? {} : { outcome }),
    ...(deployments.length === 0 ? {} : { deployments }),
    ...(unreachable === undefined ? {} : { unreachable: unreachable.map(unreachableJson) }),
    ...(error === undefined ? {} : { error: errorJson(error) }),
    ...(errors.length > 1 ? { errors: errors.map(errorJson) } : {}),
  }
}

function unreachableJson({ resource: site, code, message, hint }: PassError): object {
  return { site, code, message, hint }
}
