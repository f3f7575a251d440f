import type { Engine } from '../engine.ts'
import { Failure, toFailure } from '../errors.ts'
import type { Change } from '../plan/change/change.ts'
import type { Provenance } from '../plan/step/container-place.ts'
import { describeStep } from '../plan/step/describe.ts'
import { isRunOfJob, type JobRun } from '../plan/step/run-of-job.ts'
import type { Step } from '../plan/step/step.ts'
import { isCutOffBy, traitsOf } from '../plan/step/traits.ts'
import type { PostMortem } from '../state/pass/post-mortem.ts'
import type { StepEvent } from '../state/pass/step-event.ts'
import type { TasksNow, TasksOfService } from '../state/pass/tasks-now.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import type { Deadlines } from './deadlines.ts'

/** Everything that is needed to carry out a plan. */
export type ApplyContext = {
  readonly engine: (site: string) => Engine
  readonly provenance: Provenance
  /** Called for every step when it starts and when it ends. */
  readonly onEvent: (event: StepEvent) => void
  /** Called with how the tasks are that a step waits for, each time that this changes. */
  readonly onTasks?: (now: TasksOfService) => void
  /**
   * Called before anything is undone, so that a crash during the undo is remembered as a failure (G5). `stopped`:
   * something that served was stopped on the way.
   */
  readonly onFailure: (change: Change, failure: Failure, stopped: boolean) => void
  /**
   * Called for a change that was to begin, and of which nothing was touched (G1). `failure`: what cannot be prepared;
   * absent: a change that it comes after was not applied.
   */
  readonly onUntouched: (change: Change, failure?: Failure) => void
  /** Called when the state before is restored completely. */
  readonly onUndone: (change: Change) => void
  /** Called when what is wanted runs. `trouble`: a hook failed after that, which undoes nothing (H30). */
  readonly onApplied: (change: Change, trouble: Failure | undefined) => void
  /**
   * Called before a job of a change begins, or is waited for, so that a later pass knows of it even if its container is
   * gone by then (H22). Returns for how long it has lasted already, in ms.
   */
  readonly onJob: (change: Change, job: JobRun) => number
  /** Called when a job is not to run again in this rollout. `trouble`: it failed once the new version served (H30). */
  readonly onJobOver: (change: Change, trouble?: Failure) => void
  /** Carries out a step once no other version of its application is being deployed on another site (P5). */
  readonly withDeployLock: WithDeployLock
  /** Returns how long a change has lasted already, if it was begun before the process was interrupted. */
  readonly elapsedMs: (change: Change) => number
  /** When it aborts, running engine calls finish, waits end, and no more steps start. */
  readonly signal: AbortSignal
  /** The time of day, for the events of a step. */
  readonly nowMs: () => number
  /** The steady clock, for how long a step took. */
  readonly steadyMs: () => number
  /** Carries out a step that occupies an engine as soon as that is its turn. */
  readonly inPool: InPool
  /**
   * Resolves if this process may change something now. Fails with `interrupted` if another one is the writer, and as the
   * engine does if it does not say who is.
   */
  readonly certainly: () => Promise<void>
}

/** `fetches`: it makes an image present. */
export type InPool = <T>(site: string, fetches: boolean, work: () => Promise<T>) => Promise<T>

/** What a step that has to wait for its turn is told by, and tells. */
export type DeployWait = {
  readonly signal: AbortSignal
  /** Told what it waits for. */
  readonly note: (words: string) => void
  /** Stops the time that the change may take, until what it returns is called. */
  readonly pause: () => () => void
}

export type WithDeployLock = <T>(
  change: Change,
  step: Step,
  work: () => Promise<T>,
  wait: DeployWait,
) => Promise<T>

/** `givenUp` aborts when another step of the same stage failed, so that no gate is waited for any longer. */
export type StepRunner = (
  change: Change,
  stage: StepEvent['stage'],
  step: Step,
  givenUp?: AbortSignal,
) => Promise<void>

/**
 * Runs single steps, those that occupy an engine in turn. A wait for health does not count: it asks the engine from
 * time to time. A call that changes something is never interrupted. A step that does begins only while this process is
 * the writer, whether it waits as well or not (D17).
 */
export function stepRunner(context: ApplyContext, deadlines: Deadlines): StepRunner {
  const signalFor = (change: Change, stage: StepEvent['stage'], step: Step, givenUp?: AbortSignal) =>
    linkedAbort(
      ...(isCutOffBy(step, 'shutdown') ? [context.signal] : []),
      ...(givenUp !== undefined && isCutOffBy(step, 'sibling') ? [givenUp] : []),
      ...(stage === 'change' && isCutOffBy(step, 'deadline') ? [deadlines.of(change)] : []),
    )
  return async (change, stage, step, givenUp) => {
    using limit = signalFor(change, stage, step, givenUp)
    const { is, fetches = false, changes } = traitsOf(step)
    const pause = () => deadlines.pause(change)
    const run = async () => {
      if (changes === 'at once') await context.certainly()
      return runOne(context, { change, stage, step }, limit.signal, pause)
    }
    await (is === 'wait' ? run() : context.inPool(change.site, fetches, run))
  }
}

async function runOne(
  context: ApplyContext,
  {
    change,
    stage,
    step,
  }: { readonly change: Change; readonly stage: StepEvent['stage']; readonly step: Step },
  signal: AbortSignal,
  pause: DeployWait['pause'],
): Promise<void> {
  if (context.signal.aborted) throw interruptedBy(context.signal)
  const { site, application, service } = change
  const startedMs = context.steadyMs()
  const about = { site, application, service, step: describeStep(step), stage }
  context.onEvent({ ...about, atMs: context.nowMs(), phase: 'started' })
  try {
    const note = (words: string, postMortem?: PostMortem) =>
      context.onEvent({
        ...about,
        atMs: context.nowMs(),
        phase: 'noted',
        note: words,
        ...(postMortem === undefined ? {} : { postMortem }),
      })
    const isJob = stage === 'change' && isRunOfJob(step)
    const seen = (now: TasksNow) => context.onTasks?.({ site, application, service, ...now })
    const execute = () => {
      const running = isJob ? { ...step, lastedMs: context.onJob(change, step) } : step
      return context.engine(site).execute(running, context.provenance, signal, note, seen)
    }
    const skipped = await context.withDeployLock(change, step, execute, { signal, note, pause })
    if (isJob) context.onJobOver(change)
    if (skipped !== undefined)
      return context.onEvent({ ...about, atMs: context.nowMs(), phase: 'skipped', note: skipped.skipped })
  } catch (error) {
    const failure =
      context.signal.aborted && isCutOffBy(step, 'shutdown')
        ? interruptedBy(context.signal)
        : isDeadline(signal.reason) && !isDeadline(error)
          ? signal.reason
          : toFailure(error)
    const { code, message } = failure
    const durationMs = context.steadyMs() - startedMs
    const end = { ...about, atMs: context.nowMs(), durationMs }
    // Whatever was waited for goes on, so that nothing has failed.
    if (code === 'interrupted' && isTakenOver(context.signal))
      context.onEvent({ ...end, phase: 'noted', note: message })
    else context.onEvent({ ...end, phase: 'failed', error: { code, message } })
    throw failure
  }
  const durationMs = context.steadyMs() - startedMs
  context.onEvent({ ...about, atMs: context.nowMs(), phase: 'done', durationMs })
}

function isDeadline(reason: unknown): reason is Failure {
  return isFailureOf('rollout-timeout', reason)
}

function isFailureOf(code: Failure['code'], reason: unknown): reason is Failure {
  return reason instanceof Failure && reason.code === code
}

/** Returns the failure of a step that was not begun or no longer waited for, because the pass ends. */
function interruptedBy(signal: AbortSignal): Failure {
  const { reason } = signal
  const words = isTakenOver(signal)
    ? `${reason.message}; the next pass goes on from here`
    : 'stopped before it was done'
  return new Failure('interrupted', words)
}

/** Whether the next pass begins at once, and takes over what is under way (G12). */
function isTakenOver(signal: AbortSignal): signal is AbortSignal & { readonly reason: Failure } {
  return isFailureOf('superseded', signal.reason)
}
