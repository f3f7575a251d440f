import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { StepOf } from '../../plan/step/step.ts'
import type { Note } from '../container/post-mortem/post-mortem.ts'
import { nameOfJob, type RunnableJob, type SeenJob } from './job.ts'

/** A job that has failed. */
type Failed = {
  readonly job: RunnableJob
  readonly step: Pick<StepOf<'run-to-end'>, 'onFailure'>
  readonly isDeploy: boolean
  readonly note: Note
}

/**
 * Notes a failed try, and returns whether there will be another. Fails with `job-failed` if the rollout must not
 * continue.
 */
export function getsAnotherTry(run: Failed, words: string, ended: SeenJob): boolean {
  run.note(words)
  switch (run.step.onFailure) {
    case 'retry':
      return true
    case 'ignore':
      return false
    case 'abort':
      throw new Failure('job-failed', `${nameOfJob(run.job)}: ${words}`, {
        resource: run.job.name,
        ...optional('hint', hintAfter(run, ended)),
      })
  }
}

function hintAfter({ isDeploy }: Failed, { endedBy }: SeenJob): string | undefined {
  if (endedBy !== undefined) return afterStopHint
  return isDeploy ? afterDeployHint : undefined
}

/** Nobody but a person knows whether what was cut off in the middle may run again. */
const afterStopHint =
  'The release did not fail by itself. See in "tallyman show" how far it came, and run "tallyman retry" if it may run again, or "tallyman apply --retry" where no daemon runs.'

/** The image of such a version is barred, whatever else a commit corrects (P6). */
const afterDeployHint =
  'Read its output in "tallyman show". Then deploy another image; or correct whatever it depends on, and run "tallyman retry", or "tallyman apply --retry" where no daemon runs.'
