import { isOvertaken } from '../errors/changed-meanwhile.ts'
import { isUnreachable } from '../errors/site-unreachable.ts'
import { Failure, toFailure } from '../errors.ts'
import { type Change, keyOf } from '../plan/change/change.ts'
import { isRunOfJob } from '../plan/step/run-of-job.ts'
import { type Step, stepsOf } from '../plan/step/step.ts'
import { traitsOf } from '../plan/step/traits.ts'
import { ingressName } from '../state/application/ingress/route.ts'
import { hashOf } from '../state/canonical.ts'
import { createDeadlines } from './deadlines.ts'
import { hasStopped } from './has-stopped.ts'
import { type ApplyContext, type StepRunner, stepRunner } from './step-runner.ts'

/** The result of one change. `rolled-back`: it failed and everything is as before (G6). */
export type ChangeResult =
  | { readonly change: Change; readonly result: 'applied' }
  | {
      readonly change: Change
      readonly result: 'rolled-back' | 'failed'
      readonly failure: Failure
      /** When it ended, in ms since 1970; absent: that was not noted. */
      readonly atMs?: number
    }
  | { readonly change: Change; readonly result: 'skipped' | 'interrupted'; readonly reason: string }

/**
 * Whether what failed is tried again by itself. A running service is repaired again and again, whatever made a repair
 * fail, because that says nothing about the release.
 */
export function isTriedAgain({ change, failure }: FailedChange): boolean {
  return failure.retry !== 'never' || change.cause === 'drifted'
}

/** The result of a change that failed. */
export type FailedChange = Extract<ChangeResult, { readonly failure: Failure }>

/**
 * Carries out changes of a plan. First does everything that can fail early for all of them, before anything is touched.
 * An early failure holds back its whole application and what comes after it, and nothing else (G1, D15). Then every
 * change starts as soon as those it comes after have ended. Never rejects: each change has a result.
 * @param onEnd called when nothing more is done about a change, with what came of it
 */
export async function applyChanges(
  changes: readonly Change[],
  context: ApplyContext,
  onEnd?: (done: ChangeResult) => void,
): Promise<readonly ChangeResult[]> {
  using deadlines = createDeadlines(context.elapsedMs, context.steadyMs)
  const run = stepRunner(context, deadlines)
  const unprepared = await prepareAll(changes, run)
  const results = new Map<string, Promise<ChangeResult>>()
  const resultOf = (change: Change): Promise<ChangeResult> => {
    const known = results.get(keyOf(change))
    if (known !== undefined) return known
    const result = carryOut(change).then(ended => {
      onEnd?.(ended)
      return ended
    })
    results.set(keyOf(change), result)
    return result
  }
  const byKey = new Map(changes.map(change => [keyOf(change), change]))
  const carryOut = async (change: Change): Promise<ChangeResult> => {
    const failure = unprepared.get(wholeOf(change))
    if (failure !== undefined) {
      context.onUntouched(change, failure)
      return { change, ...early(failure) }
    }
    for (const { key, must } of change.after) {
      const earlier = byKey.get(key)
      if (earlier === undefined) continue
      const { result } = await resultOf(earlier)
      if (must === 'succeed' && result !== 'applied') {
        context.onUntouched(change)
        return { change, result: 'skipped', reason: `${key} was not applied` }
      }
    }
    return runChange(change, run, context)
  }
  return await Promise.all(changes.map(resultOf))
}

/**
 * Returns what is held back together: an application, but each service of the ingress by itself, because applications
 * have their own.
 */
function wholeOf(change: Change): string {
  return change.application === ingressName ? keyOf(change) : `${change.site}/${change.application}`
}

/**
 * If addresses are short, the network of the ingress is made first, because all applications are reached through it.
 */
function isOfIngress(step: Step): boolean {
  return stepsOf([step], 'create-network').some(({ network }) => network.application === ingressName)
}

/**
 * First pulls all images, then checks what is mounted, and then makes networks and volumes. What several changes need is
 * done once. Of an application where a check fails, nothing is made.
 */
async function prepareAll(
  changes: readonly Change[],
  run: StepRunner,
): Promise<ReadonlyMap<string, Failure>> {
  const unprepared = new Map<string, Failure>()
  const isFetch = (step: Step) => traitsOf(step).fetches === true
  const isCheck = (step: Step) => traitsOf(step).checks === true
  const isRest = (step: Step) => !isFetch(step) && !isCheck(step) && !isOfIngress(step)
  const waves = [isFetch, isCheck, isOfIngress, isRest]
  for (const wave of waves) {
    const once = new Map<string, Promise<void>>()
    await Promise.all(
      changes.flatMap(change => {
        const whole = wholeOf(change)
        if (unprepared.has(whole)) return []
        return change.prepare.filter(wave).map(async step => {
          const key = `${change.site} ${hashOf(step)}`
          const work = once.get(key) ?? run(change, 'prepare', step)
          once.set(key, work)
          try {
            await work
          } catch (error) {
            unprepared.set(whole, toFailure(error))
          }
        })
      }),
    )
  }
  return unprepared
}

async function runChange(change: Change, run: StepRunner, context: ApplyContext): Promise<ChangeResult> {
  const failed = await runStages(change, 'change', change.stages, run)
  if (failed === undefined) return finish(change, run, context)
  const { failure, at } = failed
  if (failure.code === 'interrupted') return { change, ...early(failure) }
  // Where nobody answers, nothing can be undone, and where somebody was faster, nothing of ours is there to be undone. The
  // next pass sees what exists and continues.
  if (isUnreachable(failure) || isOvertaken(failure, context.elapsedMs(change)))
    return { change, result: 'failed', failure }
  if (change.noReturnAt !== undefined && at >= change.noReturnAt) {
    const final = notRestored(change, failure)
    context.onFailure(change, final, true)
    await runStages(change, 'undo', leftOfJobs(change), run)
    return { change, result: 'failed', failure: final }
  }
  context.onFailure(change, failure, hasStopped(change.stages, at))
  if (change.undo.length === 0) return { change, result: 'failed', failure }
  if ((await runStages(change, 'undo', change.undo, run)) !== undefined)
    return { change, result: 'failed', failure }
  context.onUndone(change)
  return { change, result: 'rolled-back', failure }
}

/**
 * Returns what is put away even if nothing is restored, so that the next attempt is not judged by the jobs of this one.
 */
function leftOfJobs({ undo }: Change): Change['undo'] {
  return undo.map(stage => stage.filter(step => traitsOf(step).clearsUp))
}

/**
 * Finishes a change whose new instances run. A failed hook changes nothing about that, and everything is cleared away
 * all the same (H30). What cannot be cleared away is removed by the next pass, which need not know of the hook any more.
 */
async function finish(change: Change, run: StepRunner, context: ApplyContext): Promise<ChangeResult> {
  let first: Failure | undefined
  for (const stage of change.finish) {
    const failed = await runStages(change, 'change', [stage], run)
    if (failed === undefined) continue
    const { failure } = failed
    if (failure.code === 'interrupted') return { change, ...early(failure) }
    if (!isJobFailure(failure)) return { change, result: 'failed', failure }
    const trouble = afterServing(failure)
    if (stage.some(isRunOfJob)) context.onJobOver(change, trouble)
    first ??= trouble
  }
  context.onApplied(change, first)
  return first === undefined ? { change, result: 'applied' } : { change, result: 'failed', failure: first }
}

function isJobFailure({ code }: Failure): boolean {
  return jobFailures.includes(code)
}

/** Returns the failure for a hook that failed after the new version served. */
function afterServing(cause: Failure): Failure {
  const { code, message, resource } = cause
  return new Failure(code, message, {
    cause,
    hint: afterServingHint,
    ...(resource === undefined ? {} : { resource }),
  })
}

/** A hook that failed after the new version served is not run again. */
export const afterServingHint =
  'The new version serves, and the hook does not run again by itself. Do its work by hand, or release another version. "tallyman retry", or "tallyman apply --retry" where no daemon runs, stops this message.'

/** Includes a hook that the deadline ended. */
const jobFailures: readonly string[] = ['job-failed', 'job-timeout', 'rollout-timeout']

/**
 * A hook ran while nothing served, so the data may belong to the new version, and the old one is not started on it
 * (H29).
 */
function notRestored({ site, application, service }: Change, cause: Failure): Failure {
  return new Failure(
    'not-restored',
    `${site}: ${application}/${service}: stopped, and the old version was not started again: ${cause.message}`,
    { cause },
  )
}

/**
 * Runs stages in order. Returns the first failure of a stage once all its steps have ended. When one step fails, the
 * health gates in the same stage are no longer waited for, because they cannot change the result.
 */
async function runStages(
  change: Change,
  kind: 'change' | 'undo',
  stages: Change['stages'],
  run: StepRunner,
): Promise<{ readonly failure: Failure; readonly at: number } | undefined> {
  for (const [at, stage] of stages.entries()) {
    const failing = new AbortController()
    const ended = await Promise.allSettled(
      stage.map(async step => {
        try {
          await run(change, kind, step, failing.signal)
        } catch (error) {
          failing.abort()
          throw error
        }
      }),
    )
    const failures = ended.flatMap(end => (end.status === 'rejected' ? [toFailure(end.reason)] : []))
    // Other failures while the engine shuts down say nothing by themselves.
    const failure =
      failures.find(isUnreachable) ?? failures.find(({ code }) => code !== 'interrupted') ?? failures[0]
    if (failure !== undefined) return { failure, at }
  }
  return undefined
}

function early(
  failure: Failure,
):
  | { readonly result: 'interrupted'; readonly reason: string }
  | { readonly result: 'failed'; readonly failure: Failure } {
  return failure.code === 'interrupted'
    ? { result: 'interrupted', reason: failure.message }
    : { result: 'failed', failure }
}
