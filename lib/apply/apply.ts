import { Failure, toFailure } from '../errors.ts'
import { type Change, keyOf } from '../plan/change.ts'
import type { Step } from '../plan/step.ts'
import { hashOf } from '../state/canonical.ts'
import { ingressName } from '../state/route.ts'
import { type ApplyContext, type StepRunner, stepRunner } from './step-runner.ts'

/** What became of one change. `rolled-back`: it failed and everything is as before (G6). */
export type ChangeResult =
  | { readonly change: Change; readonly result: 'applied' }
  | { readonly change: Change; readonly result: 'rolled-back' | 'failed'; readonly failure: Failure }
  | { readonly change: Change; readonly result: 'skipped' | 'interrupted'; readonly reason: string }

/**
 * Carries out changes of a plan. Nothing is touched before everything that can fail early was done for all of them;
 * what fails early holds back its whole application and what comes after it, nothing else (G1, D15). Then every
 * change starts as soon as those it comes after have ended. Never rejects: each change has a result.
 */
export async function apply(
  changes: readonly Change[],
  context: ApplyContext,
): Promise<readonly ChangeResult[]> {
  const run = stepRunner(context)
  const unprepared = await prepareAll(changes, run)
  const results = new Map<string, Promise<ChangeResult>>()
  const resultOf = (change: Change): Promise<ChangeResult> => {
    const known = results.get(keyOf(change))
    if (known !== undefined) return known
    const result = carryOut(change)
    results.set(keyOf(change), result)
    return result
  }
  const byKey = new Map(changes.map(change => [keyOf(change), change]))
  const carryOut = async (change: Change): Promise<ChangeResult> => {
    const failure = unprepared.get(wholeOf(change))
    if (failure !== undefined) return { change, ...early(failure) }
    for (const { key, must } of change.after) {
      const earlier = byKey.get(key)
      if (earlier === undefined) continue
      const { result } = await resultOf(earlier)
      if (must === 'succeed' && result !== 'applied')
        return { change, result: 'skipped', reason: `${key} was not applied` }
    }
    return runChange(change, run, context)
  }
  return Promise.all(changes.map(resultOf))
}

/** What is held back as one: an application; of the ingress each service, for applications have theirs of them. */
function wholeOf(change: Change): string {
  return change.application === ingressName ? keyOf(change) : `${change.site}/${change.application}`
}

function isPull(step: Step): boolean {
  return step.do === 'pull-image'
}

/** Where addresses are short, what all applications are reached through goes first. */
function isOfIngress(step: Step): boolean {
  return step.do === 'create-network' && step.network.application === ingressName
}

/** Pulls first, all of them, then networks and volumes. What several changes need is done once. */
async function prepareAll(
  changes: readonly Change[],
  run: StepRunner,
): Promise<ReadonlyMap<string, Failure>> {
  const unprepared = new Map<string, Failure>()
  const waves = [isPull, isOfIngress, (step: Step) => !isPull(step) && !isOfIngress(step)]
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
  // Without an engine nothing can be undone; the next pass sees what is there and goes on.
  if (failure.code === 'engine-unreachable') return { change, result: 'failed', failure }
  if (change.noReturnAt !== undefined && at >= change.noReturnAt) {
    const final = notRestored(change, failure)
    context.onFailure(change, final, true)
    await runStages(change, 'undo', leftOfJobs(change), run)
    return { change, result: 'failed', failure: final }
  }
  context.onFailure(change, failure, hasStopped(change, at))
  if (change.undo.length === 0) return { change, result: 'failed', failure }
  if ((await runStages(change, 'undo', change.undo, run)) !== undefined)
    return { change, result: 'failed', failure }
  context.onUndone(change)
  return { change, result: 'rolled-back', failure }
}

/** What is put away even where nothing is put back: the next try is not judged by the jobs of this one. */
function leftOfJobs({ undo }: Change): Change['undo'] {
  return undo.map(stage => stage.filter(step => step.do === 'put-away'))
}

/**
 * What is wanted runs. A hook that fails now changes nothing about that, and what is to be cleared away is cleared
 * away all the same (H30); what cannot be, the next pass removes.
 */
async function finish(change: Change, run: StepRunner, context: ApplyContext): Promise<ChangeResult> {
  let first: Failure | undefined
  for (const stage of change.finish) {
    const failed = await runStages(change, 'change', [stage], run)
    if (failed === undefined) continue
    const { failure } = failed
    if (failure.code === 'interrupted') return { change, ...early(failure) }
    first ??= isJobFailure(failure) ? afterServing(failure) : failure
    if (!isJobFailure(failure)) return { change, result: 'failed', failure }
  }
  context.onApplied(change, first)
  return first === undefined ? { change, result: 'applied' } : { change, result: 'failed', failure: first }
}

function isJobFailure({ code }: Failure): boolean {
  return jobFailures.includes(code)
}

/** What is to be done about a hook that failed once the new version served. */
function afterServing(cause: Failure): Failure {
  const { code, message, resource } = cause
  return new Failure(code, message, {
    cause,
    hint: afterServingHint,
    ...(resource === undefined ? {} : { resource }),
  })
}

/** A hook that failed once the new version served is not run again. */
export const afterServingHint =
  'The new version serves, and the hook does not run again by itself. Do its work by hand, or release another version. "tallyman retry", or "tallyman apply --retry" where no daemon runs, stops this message.'

/** Also where the deadline ended a hook, or somebody removed its container. */
const jobFailures: readonly string[] = ['job-failed', 'job-timeout', 'rollout-timeout', 'container-missing']

/** A hook ran while nothing served: the data may be the new version's, and the old one is not started on it (H29). */
function notRestored({ site, application, service }: Change, cause: Failure): Failure {
  return new Failure(
    'not-restored',
    `${site}: ${application}/${service}: nothing serves, and the old version is not started again: ${cause.message}`,
    { cause },
  )
}

/** Whether anything that served was stopped by then: trying again would stop it again. */
function hasStopped({ stages }: Change, at: number): boolean {
  return stages.slice(0, at + 1).some(stage => stage.some(step => step.do === 'stop-container'))
}

/**
 * Stages in order; the first failure of a stage once all its steps have ended. When one fails, the gates beside it are
 * not waited for any longer: what becomes of them changes nothing any more.
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
    // What else fails while the engine goes away says nothing by itself.
    const failure =
      failures.find(({ code }) => code === 'engine-unreachable') ??
      failures.find(({ code }) => code !== 'interrupted') ??
      failures[0]
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
