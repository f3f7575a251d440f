import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import type { Change } from '../../../plan/change/change.ts'
import type { BegunJob } from '../../../plan/compare/past.ts'
import type { JobRun } from '../../../plan/step/run-of-job.ts'
import { type Clocks, lastedMs } from './elapsed.ts'

/**
 * Records that a job begins, unless that is on record, and returns for how long it has lasted, in ms.
 * @param attempt what was on record as this pass began
 */
export function beginJob(
  site: Clocks,
  attempt: Pick<RecordedAttempt, 'job' | 'noReturn'> | undefined,
  change: Change,
  { job: stage, container: name }: JobRun,
  record: (job: BegunJob, noReturn: boolean) => void,
): number {
  const isKnown = attempt?.job?.name === name
  const job = isKnown ? attempt.job : { name, begunAtMs: site.world.nowMs(), isOver: false }
  const isPastReturn = stage === 'mid' && change.noReturnAt !== undefined
  if (!isKnown || (isPastReturn && attempt.noReturn !== true)) record(job, isPastReturn)
  return lastedMs(site, change, job)
}
