import { renderPlan } from '../plan/render.ts'
import { isRemoval, itemsOf } from '../reconcile/approval.ts'
import { pass } from '../reconcile/pass.ts'
import type { PassRequest } from '../reconcile/pass-request.ts'
import type { PassResult } from '../reconcile/pass-result.ts'
import type { World } from '../reconcile/world.ts'
import { confirm } from './ask.ts'
import { exitCode, exitCodeOf } from './exit.ts'
import type { CommonFlags } from './flags.ts'
import type { Output } from './output.ts'
import { reportErrors } from './output.ts'
import { makePlan, resultJson } from './plan.ts'
import { createProgress } from './progress.ts'
import { renderReport } from './report.ts'
import { openSession } from './session.ts'
import { currentUser } from './user.ts'

export type ApplyFlags = { readonly yes?: boolean; readonly plan?: string; readonly retry?: boolean }

/** Plans, asks, applies. What is run is planned again just before it is run, and only what was approved is run (D4). */
export async function apply(output: Output, flags: CommonFlags & ApplyFlags): Promise<number> {
  await using session = openSession(flags)
  const results: PassResult[] = []
  for (const world of session.worlds) results.push(await applyOne(output, world, flags, session.signal))
  if (output.json) {
    const documents = results.map(resultJson)
    output.document(documents.length === 1 ? documents[0] : documents)
  }
  return (
    results
      .map(({ outcome, errors }) => Math.max(exitCodeOf(outcome), errors.length > 0 ? exitCode.failed : 0))
      .find(code => code !== 0) ?? exitCode.done
  )
}

async function applyOne(
  output: Output,
  world: World,
  flags: ApplyFlags,
  signal: AbortSignal,
): Promise<PassResult> {
  const planned = await makePlan(world, signal, flags.retry === true)
  if (!output.json && planned.plan !== undefined)
    output.text(renderPlan(planned.plan, { color: output.color }))
  if (planned.plan === undefined) {
    reportErrors(output, planned.errors)
    return { ...planned, outcome: 'failed' }
  }
  const asks = output.interactive && flags.yes !== true && planned.waiting.length > 0
  if (asks && !(await answer(output, world, planned, signal))) {
    output.note('Nothing was done.')
    return { ...planned, outcome: 'declined' }
  }
  // Without a terminal and an answer nothing is touched; only removals wait alone (D3).
  if (!asks && flags.yes !== true && planned.waiting.some(change => !isRemoval(change))) {
    explainUnanswered(output, planned)
    return { ...planned, outcome: 'needs-confirmation' }
  }
  const result = await run(output, world, flags, planned, signal)
  if (asks && result.outcome === 'needs-confirmation') {
    output.note('What is wanted or what runs has changed since; this is the plan now.')
    return applyOne(output, world, flags, signal)
  }
  if (!output.json) output.text(renderReport(result, { color: output.color }))
  reportErrors(output, result.errors)
  if (asks || result.waiting.length === 0 || result.outcome !== 'applied') return result
  explainUnanswered(output, result)
  return { ...result, outcome: 'needs-confirmation' }
}

async function run(
  output: Output,
  world: World,
  flags: ApplyFlags,
  { plan }: PassResult,
  signal: AbortSignal,
): Promise<PassResult> {
  const progress = createProgress(output)
  const request: PassRequest = {
    trigger: 'command',
    until: 'apply',
    freshness: { maxAgeMs: 5_000, lastGood: false },
    retry: flags.retry === true,
    ...(flags.yes === true && plan !== undefined ? { answer: { who: currentUser(), via: 'flag' } } : {}),
    ...(flags.plan === undefined ? {} : { onlyPlan: flags.plan }),
    onApply: progress.begin,
    onEvent: progress.event,
  }
  const result = await pass(world, request, signal)
  await progress.end(result.results)
  return result
}

/** Asks for the changes, and for removals once more (D3); records the answer as an approval of what was seen. */
async function answer(
  output: Output,
  { journal, config, nowMs }: World,
  { plan, waiting }: PassResult,
  signal: AbortSignal,
): Promise<boolean> {
  if (plan === undefined) return false
  const removals = waiting.filter(isRemoval)
  const others = waiting.filter(change => !isRemoval(change))
  const approved = [
    ...(others.length > 0 && (await confirm('Apply this plan? Only "yes" is accepted:', signal))
      ? others
      : []),
    ...(removals.length > 0 && (await confirm(removalQuestion(removals.length, others.length), signal))
      ? removals
      : []),
  ]
  if (approved.length === 0) return false
  const atMs = nowMs()
  journal.approve({
    environment: plan.environment,
    planId: plan.id,
    commit: plan.revision.commit,
    who: currentUser(),
    via: 'terminal',
    items: itemsOf(approved),
    atMs,
    expiresAtMs: atMs + config.approvalExpiresMs,
  })
  if (approved.length < waiting.length) output.note('Only what was confirmed is done.')
  return true
}

function removalQuestion(removals: number, others: number): string {
  if (others === 0) return 'Apply this plan? It only removes. Only "yes" is accepted:'
  return `Also remove ${removals === 1 ? 'the service' : `the ${removals} services`} no longer in the manifest? Only "yes" is accepted:`
}

function explainUnanswered(output: Output, { waiting }: PassResult): void {
  const what = waiting.every(isRemoval) ? 'Removals wait' : 'The plan waits'
  output.note(
    `${what} for a confirmation, and there is no terminal to ask on. Nothing of it was touched; answer with --yes.`,
  )
}
