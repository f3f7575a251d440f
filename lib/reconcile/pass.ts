import { Failure, toFailure } from '../errors.ts'
import { groupInstances } from '../plan/instance.ts'
import type { DesiredState } from '../state/desired.ts'
import { itemsOf, judge, type Verdict } from './approval.ts'
import { carryOut } from './carry-out.ts'
import { claim, rivalFailure } from './claim.ts'
import { type Decision, decide } from './decide.ts'
import { desiredState } from './desired.ts'
import { failureError } from './error.ts'
import { observeAll, type Seen } from './observe.ts'
import { outcomeOf } from './outcome.ts'
import type { PassRequest } from './pass-request.ts'
import { type Found, type PassResult, planlessResult, resultOf } from './pass-result.ts'
import { openRecord, type PassRecord } from './record.ts'
import { reachableEngine } from './site.ts'
import type { World } from './world.ts'

/**
 * One pass, from the repository to the containers: a straight line. `plan`, `apply` and the daemon run it and stop
 * at different points. Never rejects: what went wrong is in the result.
 */
export async function pass(world: World, request: PassRequest, signal: AbortSignal): Promise<PassResult> {
  const record = openRecord(world, request)
  try {
    const engine = await reachableEngine(world.engines, signal)
    const { desired, stale } = await desiredState(world, engine, request.freshness, signal)
    const mine = request.until === 'apply' && (await claim(world, desired.environment, signal))
    if (mine) record.begin(desired)
    const seen = await observeAll(world.engines, desired, signal)
    const decision = await decide(world, desired, seen, request.retry === true, signal)
    record.inSync(desired, decision)
    record.plan(decision.plan)
    const verdict = judgeIn(world, request, desired, decision, seen)
    const found: Found = { desired, seen, decision, verdict }
    if (request.until === 'plan') return resultOf(found, 'planned', [], stale)
    if (!mine) return resultOf(found, 'planned', [], rivalFailure(desired.environment))
    if (isOtherPlan(request, decision))
      return record.end(resultOf(found, 'superseded', [], otherPlan(request, decision)))
    record.approvals(decision.plan, verdict, request)
    request.onApply?.(verdict.go)
    const results = await carryOut(world, request, found, record, signal)
    const { plan } = decision
    const outcome = outcomeOf({
      blocked: plan.blocked.length + plan.unseen.length,
      held: plan.changes.filter(({ held }) => held !== undefined),
      waiting: verdict.wait,
      discarded: world.journal.isDiscarded(desired.environment, plan.id, desired.revision.commit),
      results,
      superseded: isSuperseded(signal),
    })
    return record.end(resultOf(found, outcome, results, stale))
  } catch (error) {
    return endFailed(record, toFailure(error), signal)
  }
}

/** A journal that cannot be written is itself what went wrong. */
function endFailed(record: PassRecord, failure: Failure, signal: AbortSignal): PassResult {
  const result = planlessResult(
    failure,
    isSuperseded(signal) ? 'superseded' : signal.aborted ? 'interrupted' : 'failed',
  )
  try {
    return record.end(result)
  } catch (error) {
    return { ...result, errors: [...result.errors, failureError(toFailure(error))] }
  }
}

function judgeIn(
  { journal, config, nowMs }: World,
  { answer }: PassRequest,
  { environment, skipConfirmation }: DesiredState,
  { plan }: Decision,
  { sites }: Seen,
): Verdict {
  const given = itemsOf(plan.changes).map(item => ({ ...item, planId: plan.id }))
  const approved = journal.approvals(environment, nowMs())
  return judge(plan, {
    skipConfirmation,
    prune: config.prune,
    drift: config.drift,
    approved: answer === undefined ? approved : [...approved, ...given],
    running: sites.reduce((sum, { containers }) => sum + groupInstances(containers).length, 0),
  })
}

function isOtherPlan({ onlyPlan }: PassRequest, { plan }: Decision): boolean {
  return onlyPlan !== undefined && onlyPlan !== plan.id
}

function otherPlan({ onlyPlan }: PassRequest, { plan }: Decision): Failure {
  return new Failure('plan-changed', `the plan is ${plan.id} now, not ${onlyPlan}`)
}

function isSuperseded({ reason }: AbortSignal): boolean {
  return reason instanceof Failure && reason.code === 'superseded'
}
