import { planJson } from '../plan/json.ts'
import { renderPlan } from '../plan/render.ts'
import { pass } from '../reconcile/pass.ts'
import type { PassResult } from '../reconcile/pass-result.ts'
import type { World } from '../reconcile/world.ts'
import { exitCode } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import { errorJson, type Output, reportErrors } from './output.ts'
import { openSession } from './session.ts'

export type PlanFlags = { readonly detailedExitcode?: boolean; readonly retry?: boolean }

/** Shows what would be done; touches nothing. */
export async function plan(output: Output, flags: CommonFlags & PlanFlags): Promise<number> {
  await using session = openSession(flags)
  const results: PassResult[] = []
  for (const world of session.worlds) {
    results.push(await makePlan(world, session.signal, flags.retry === true))
  }
  showPlans(output, results)
  if (results.some(({ errors }) => errors.length > 0)) return exitCode.failed
  const pending = results.some(({ plan }) => plan !== undefined && plan.changes.length > 0)
  return flags.detailedExitcode && pending ? exitCode.changesPending : exitCode.done
}

/** One pass up to the plan. */
export function makePlan(world: World, signal: AbortSignal, retry: boolean): Promise<PassResult> {
  return pass(
    world,
    { trigger: 'command', until: 'plan', freshness: { maxAgeMs: 0, lastGood: false }, retry },
    signal,
  )
}

export function showPlans(output: Output, results: readonly PassResult[]): void {
  if (output.json) {
    const documents = results.map(result => resultJson(result))
    output.document(documents.length === 1 ? documents[0] : documents)
  }
  for (const { plan, errors } of results) {
    if (!output.json && plan !== undefined) output.text(renderPlan(plan, { color: output.color }))
    reportErrors(output, errors)
  }
}

/** The JSON document of a plan; with what went wrong, where something did. */
export function resultJson({ plan, waiting, sync, errors, outcome }: PassResult): object {
  const [error] = errors
  return {
    ...(plan === undefined ? { sync, changes: [] } : planJson(plan, waiting.length > 0, sync)),
    ...(outcome === 'planned' ? {} : { outcome }),
    ...(error === undefined ? {} : { error: errorJson(error) }),
    ...(errors.length > 1 ? { errors: errors.map(errorJson) } : {}),
  }
}
