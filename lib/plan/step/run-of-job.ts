import type { Job } from '../../state/application/application.ts'
import type { Step, StepOf } from './step.ts'

/** The run of a job of a rollout. */
export type JobRun = StepOf<'run-to-end'> & { readonly job: Job['stage'] }

/** Whether a step runs a job of a rollout, and not an init container. */
export function isRunOfJob(step: Step): step is JobRun {
  return step.do === 'run-to-end' && step.job !== undefined
}
