import { Failure, toFailure } from '../errors.ts'
import { groupInstances } from '../plan/instance.ts'
import type { DesiredState } from '../state/desired.ts'
import { itemsOf, judge, type Verdict } from './approval.ts'
import { carryOut } from './carry-out.ts'
import { claim } from './claim.ts'
import { type DecideOptions, type Decision, decide } from './decide.ts'
import { desiredState, type Wanted } from './desired.ts'
import { failureError } from './error.ts'
import { observeAhead, type Seen } from './observe.ts'
import { outcomeOf } from './outcome.ts'
import type { PassRequest } from './pass-request.ts'
import { type Found, type PassResult, planlessResult, resultOf } from './pass-result.ts'
import { openRecord, type PassRecord } from './record.ts'
import type { World } from './world.ts'

/**
 * Makes one pass, from the repository to the containers, in a straight line. `plan`, `apply` and the daemon run it and
 * stop at different points. Never rejects: errors are in the result.
 */
export async function pass(world: World, request: PassRequest, signal: AbortSignal): Promise<PassResult> {
  const record = openRecord(world, request)
  try {
    const observed = observeAhead(world, signal)
    const wanted = await desiredState(world, request.freshness, signal)
    const { desired, stale } = wanted
    const rival = request.until === 'apply' ? await claim(world, desired, signal) : undefined
    const mine = request.until === 'apply' && rival === undefined
    if (mine) record.begin(wanted)
    if (mine && request.retry) world.journal.forgetTroubles(desired.environment)
    const seen = await observed(desired)
    const judged = (decision: Decision) => judgeIn(world, request, desired, decision, seen)
    const first = await decide(world, desired, seen, optionsOf(request, wanted), signal)
    const { wait } = judged(first)
    const decision = request.keepsWaiting && mine && wait.length > 0 ? await first.keeping(wait) : first
    record.learn(decision)
    record.plan(decision.plan)
    const verdict = judged(decision)
    const troubles = () => world.journal.troubles(desired.environment)
    const found: Found = { desired, seen, decision, verdict, troubles }
    if (request.until === 'plan') return resultOf(found, 'planned', [], stale)
    if (!mine) return resultOf(found, 'planned', [], rival)
    if (isOtherPlan(request, decision))
      return record.end(resultOf(found, 'superseded', [], otherPlan(request, decision)))
    record.approvals(decision.plan, verdict, request)
    request.onApply?.(verdict.go)
    const results = await carryOut(world, request, found, record, signal)
    const { plan } = decision
    const outcome = outcomeOf({
      blocked: plan.blocked.length + plan.unseen.length,
      held: [...plan.changes, ...decision.stuck].filter(({ held }) => held !== undefined),
      waiting: verdict.wait,
      declined: verdict.declined,
      results,
      isUnreadable: wanted.unreadable === true,
      superseded: isSuperseded(signal),
    })
    return record.end(resultOf(found, outcome, results, stale))
  } catch (error) {
    return endFailed(record, toFailure(error), signal)
  }
}

/** If the journal cannot be written, that failure is part of the result. */
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
  { answer, until }: PassRequest,
  { environment, revision, skipConfirmation }: DesiredState,
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
    // `plan` shows a declined plan again.
    discarded: until === 'apply' && journal.isDiscarded(environment, plan.id, revision.commit),
    running: sites.reduce((sum, { containers }) => sum + groupInstances(containers).length, 0),
  })
}

function optionsOf({ retry = false, backingOff }: PassRequest, { unreadable, stale }: Wanted): DecideOptions {
  return {
    retry,
    ...(backingOff === undefined ? {} : { backingOff }),
    ...(unreadable && stale !== undefined
      ? { onlyRepairs: { code: stale.code, reason: 'the newest commit cannot be read' } }
      : {}),
  }
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
