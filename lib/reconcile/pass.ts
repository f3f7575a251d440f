import { apply, type ChangeResult } from '../apply/apply.ts'
import { Failure, InvalidInput, toFailure } from '../errors.ts'
import type { Change, Plan } from '../plan/change.ts'
import type { DesiredState } from '../state/desired.ts'
import type { SyncStatus } from '../state/health.ts'
import type { Outcome } from '../state/outcome.ts'
import type { StepEvent } from '../state/step-event.ts'
import { itemsOf, judge, type Verdict } from './approval.ts'
import { type Decision, decide } from './decide.ts'
import { desiredState, type Freshness } from './desired.ts'
import { errorsOf, failureError, type PassError, problemError } from './error.ts'
import { observeAll, type Seen } from './observe.ts'
import { outcomeOf } from './outcome.ts'
import { openRecord, type PassRecord } from './record.ts'
import { reachableEngine } from './site.ts'
import { type ApplicationStatus, statusOf } from './status.ts'
import type { World } from './world.ts'

/** What is asked of one pass. */
export type PassRequest = {
  /** Who or what says "look again": `poll`, `engine-event`, `file-change`, `command`, … */
  readonly trigger: string
  /** `plan`: look and say what would be done; nothing is recorded as a pass. */
  readonly until: 'plan' | 'apply'
  readonly freshness: Freshness
  /** An answer given beforehand to whatever waits. */
  readonly answer?: {
    readonly who: string
    readonly via: 'flag' | 'terminal' | 'control'
    readonly message?: string
  }
  /** What is quarantined is tried again. */
  readonly retry?: boolean
  /** Apply only if the plan is this one. */
  readonly onlyPlan?: string
  readonly onEvent?: (event: StepEvent, plan: Plan) => void
  /** Called once, before the first step, with what is about to be done. */
  readonly onApply?: (changes: readonly Change[]) => void
}

export type PassResult = {
  readonly passId?: number
  readonly outcome: Outcome
  readonly sync: SyncStatus
  /** What went wrong, the most telling first. */
  readonly errors: readonly PassError[]
  /** Absent when the source or the manifest could not be read. */
  readonly plan?: Plan
  readonly desired?: DesiredState
  readonly waiting: readonly Change[]
  readonly results: readonly ChangeResult[]
  readonly status: readonly ApplicationStatus[]
}

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
    const verdict = verdictOf(world, request, desired, decision, seen)
    if (!mine) {
      const rival = request.until === 'apply' ? rivalFailure(desired) : stale
      return summary({ outcome: 'planned', desired, decision, seen, verdict, results: [], stale: rival })
    }
    if (request.onlyPlan !== undefined && request.onlyPlan !== decision.plan.id) {
      return record.end(
        summary({
          outcome: 'superseded',
          desired,
          decision,
          seen,
          verdict,
          results: [],
          stale: otherPlan(request.onlyPlan, decision.plan),
        }),
      )
    }
    record.approvals(decision.plan, verdict, request)
    request.onApply?.(verdict.go)
    const results = await carryOut(world, request, desired, decision, verdict, record, signal)
    const outcome = outcomeOf({
      blocked: blockedCount(desired, decision, seen),
      held: decision.plan.changes.filter(({ held }) => held !== undefined),
      waiting: verdict.wait,
      discarded: world.journal.isDiscarded(desired.environment, decision.plan.id, desired.revision.commit),
      results,
      superseded: isSuperseded(signal),
    })
    return record.end(summary({ outcome, desired, decision, seen, verdict, results, stale }))
  } catch (error) {
    return endFailed(record, toFailure(error), signal)
  }
}

/** A journal that cannot be written is itself what went wrong. */
function endFailed(record: PassRecord, failure: Failure, signal: AbortSignal): PassResult {
  const result: PassResult = {
    outcome: isSuperseded(signal) ? 'superseded' : signal.aborted ? 'interrupted' : 'failed',
    sync: 'Unknown',
    errors: failuresOf(failure),
    waiting: [],
    results: [],
    status: [],
  }
  try {
    return record.end(result)
  } catch (error) {
    return { ...result, errors: [...result.errors, failureError(toFailure(error))] }
  }
}

function verdictOf(
  world: World,
  request: PassRequest,
  desired: DesiredState,
  { plan }: Decision,
  { sites }: Seen,
): Verdict {
  const approved = world.journal.approvals(desired.environment, world.nowMs())
  return judge(plan, {
    skipConfirmation: desired.skipConfirmation,
    prune: world.config.prune,
    drift: world.config.drift,
    approved:
      request.answer === undefined
        ? approved
        : [...approved, ...itemsOf(plan.changes).map(item => ({ ...item, planId: plan.id }))],
    running: sites.reduce((sum, { containers }) => sum + containers.length, 0),
  })
}

async function carryOut(
  { engines, nowMs }: World,
  request: PassRequest,
  { environment, source, revision }: DesiredState,
  { plan }: Decision,
  { go }: Verdict,
  record: PassRecord,
  signal: AbortSignal,
): Promise<readonly ChangeResult[]> {
  if (go.length === 0) return []
  record.specifications(go)
  const bySite = new Map(engines.map(engine => [engine.site, engine]))
  return apply(go, {
    engine: site => {
      const engine = bySite.get(site)
      if (engine === undefined) throw new Failure('internal', `no engine for site ${site}`)
      return engine
    },
    provenance: { environment, source, commit: revision.commit },
    onEvent: event => {
      record.event(event)
      request.onEvent?.(event, plan)
    },
    onFailure: record.failed,
    onApplied: record.applied,
    signal,
    nowMs,
    concurrency: 8,
  })
}

function blockedCount(desired: DesiredState, { diffs }: Decision, { unreachable }: Seen): number {
  return desired.blocked.length + diffs.flatMap(({ undecided }) => undecided).length + unreachable.length
}

function summary(facts: {
  readonly outcome: Outcome
  readonly desired: DesiredState
  readonly decision: Decision
  readonly seen: Seen
  readonly verdict: Verdict
  readonly results: readonly ChangeResult[]
  readonly stale: Failure | undefined
}): PassResult {
  const { outcome, desired, decision, seen, verdict, results, stale } = facts
  const { plan, diffs } = decision
  const undecided = new Map(
    diffs.flatMap(({ undecided }) =>
      undecided.map(({ application, reason }) => [application, reason] as const),
    ),
  )
  const remaining =
    results.length > 0
      ? plan.changes.filter(
          change => !results.some(done => done.change === change && done.result === 'applied'),
        )
      : plan.changes
  return {
    outcome,
    sync:
      remaining.length > 0
        ? 'OutOfSync'
        : blockedCount(desired, decision, seen) > 0 || stale
          ? 'Unknown'
          : 'Synced',
    errors: errorsOf(stale, desired, undecided, seen, results, plan),
    plan,
    desired,
    waiting: verdict.wait,
    results,
    status: statusOf({ desired, sites: seen.sites, changes: remaining, undecided }),
  }
}

/** One writer per environment and engine; who comes second only observes. */
async function claim(
  { writer, engines, memory }: World,
  environment: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (memory.claimed) return true
  const answers = await Promise.allSettled(engines.map(engine => engine.info(signal)))
  const ids = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value.id] : []))
  const mine = await writer.claim(environment, ids)
  memory.claimed = mine && ids.length === engines.length
  return mine
}

function rivalFailure({ environment }: DesiredState): Failure {
  return new Failure('another-writer', `another tallyman runs ${environment} here; this one only observes`)
}

function isSuperseded({ reason }: AbortSignal): boolean {
  return reason instanceof Failure && reason.code === 'superseded'
}

/** Input with many problems is many errors, each with its place. */
function failuresOf(failure: Failure): readonly PassError[] {
  return failure instanceof InvalidInput
    ? failure.problems.map(problem => problemError(problem))
    : [failureError(failure)]
}

function otherPlan(asked: string, { id }: Plan): Failure {
  return new Failure('plan-changed', `the plan is ${id} now, not ${asked}`)
}
