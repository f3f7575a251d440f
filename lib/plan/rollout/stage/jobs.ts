import { optional } from '../../../object.ts'
import type { Job } from '../../../state/application/application.ts'
import { hasRun } from '../../../state/running/has-run.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import type { Comparison } from '../../compare/comparison.ts'
import { createStep } from '../../compare/instance/instance.ts'
import type { WantedJob } from '../../compare/job/wanted-jobs.ts'
import type { Step } from '../../step/step.ts'
import type { Stages } from '../rollout.ts'
import { stagesOf } from './stages.ts'

/** The places of jobs in a rollout (H10, X2). */
export type JobStages = {
  /** Before the strategy touches anything: test, pre, deploy. */
  readonly before: Stages
  /** While nothing serves. */
  readonly mid: Stages
  /** After the strategy is done. */
  readonly post: Stages
  /** Once nobody needs the containers any more. */
  readonly away: Stages
}

/** How many failed ones of a service are kept (H9). */
const kept = 3

/**
 * Returns the stages of a rollout's jobs. Jobs of another rollout, or of an earlier attempt, are ended first: a running
 * hook is aborted (H6), and a running deploy is waited for (P7, X1).
 *
 * All jobs are created before any runs, and the last one is put away last. After a crash the engine therefore shows
 * which rollout is under way and how far it came, and so does the record, if somebody removed the containers: what comes
 * before a job that has begun is not run again (H22).
 */
export function jobStages(comparison: Comparison): JobStages {
  const { begun, leftOver } = comparison
  const { own, due } = dueJobs(comparison)
  const names = own.map(({ container }) => container.engineName)
  const strange = [...leftOver, ...begun.filter(({ engineName }) => !names.includes(engineName))]
  const run = (...stages: readonly Job['stage'][]) =>
    due
      .filter(({ job }) => stages.includes(job.stage))
      .map(({ job, container }) => [runStep(job, container.engineName)])
  return {
    before: stagesOf(
      ...endStages(strange),
      due.map(({ container }) => createStep(container)),
      ...run('test', 'pre', 'deploy'),
    ),
    mid: run('mid'),
    post: run('post'),
    away: stagesOf(putAwaySteps(names.slice(0, -1)), putAwaySteps(names.slice(-1))),
  }
}

type Due = Pick<Comparison, 'jobs' | 'begun' | 'reached' | 'isRollout' | 'areJobsDone'>

/** Whether a mid hook has yet to run, or may run again because it failed. Nothing may serve then (H10). */
export function isMidDue(comparison: Due): boolean {
  const done = new Set(
    comparison.begun.flatMap(({ engineName, state, exitCode }) =>
      state === 'exited' && exitCode === 0 ? [engineName] : [],
    ),
  )
  return dueJobs(comparison).due.some(
    ({ job, container }) => job.stage === 'mid' && !done.has(container.engineName),
  )
}

/**
 * Returns the jobs of a rollout in their order, and those that are left: the last one that has begun is judged again if
 * its container shows how it ended, and run again if that is gone and nothing says that it was over.
 */
function dueJobs({ jobs, begun, reached, isRollout, areJobsDone }: Due): {
  readonly own: readonly WantedJob[]
  readonly due: readonly WantedJob[]
} {
  const own = isRollout && !areJobsDone ? jobs : []
  const started = new Set(begun.filter(hasRun).map(one => one.engineName))
  const shown = own.findLastIndex(({ container }) => started.has(container.engineName))
  const noted = own.findIndex(({ container }) => container.engineName === reached?.name)
  const isPast = noted > shown && reached?.isOver === true
  return { own, due: own.slice(isPast ? noted + 1 : Math.max(0, shown, noted)) }
}

/** Returns those of the containers of jobs that have begun and not ended. */
export function upIn(jobs: readonly LiveContainer[]): readonly LiveContainer[] {
  return jobs.filter(({ state }) => state === 'running' || state === 'paused')
}

/** Ends what jobs of another rollout left behind. */
export function endStages(begun: readonly LiveContainer[]): Stages {
  const end = upIn(begun).map(
    ({ role, engineName: container }): Step =>
      role === 'deploy' ? { do: 'await-end', container } : { do: 'abort-hook', container },
  )
  return stagesOf(end, putAwaySteps(begun.map(({ engineName }) => engineName)))
}

function putAwaySteps(names: readonly string[]): readonly Step[] {
  return names.map(container => ({ do: 'put-away', container, keep: kept }))
}

function runStep({ stage, onFailure, timeoutMs }: Job, container: string): Step {
  return { do: 'run-to-end', job: stage, container, onFailure, ...optional('timeoutMs', timeoutMs) }
}
