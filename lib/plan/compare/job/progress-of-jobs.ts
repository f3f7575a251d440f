import { optional } from '../../../object.ts'
import type { Application, Service } from '../../../state/application/application.ts'
import { imageContent } from '../../../state/application/fingerprint.ts'
import { isJob, isKeptContainer } from '../../../state/running/job-container.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import type { ServicePlace } from '../../change/change.ts'
import { type Attempt, type BegunJob, isDeployed, type Past } from '../past.ts'
import { type WantedJob, wantedJobs } from './wanted-jobs.ts'

/** The jobs of a rollout, and how far they came. */
export type ProgressOfJobs = {
  /**
   * Those that it runs once, in their order. How far they came is told by the engine (`begun`) and by the record
   * (`reached`).
   */
  readonly jobs: readonly WantedJob[]
  /** The one of them that began last, as is on record; absent: none, or the attempt has ended. */
  readonly reached?: BegunJob
  /**
   * Existing containers of them, some of which may not have been started. The rollout was interrupted, and continues
   * from them (H22).
   */
  readonly begun: readonly LiveContainer[]
  /** Existing containers of jobs of another rollout, or of an earlier attempt at this one that has ended. */
  readonly leftOver: readonly LiveContainer[]
}

/** Returns which jobs a rollout of a service runs, and how far they came in an attempt at it. */
export function progressOfJobs(
  place: ServicePlace,
  {
    environment,
    application,
    service,
  }: { readonly environment: string; readonly application: Application; readonly service: Service },
  containers: readonly LiveContainer[],
  deployed: Past['deployed'],
  attempt: Attempt | undefined,
): ProgressOfJobs {
  const jobs = wantedJobs(environment, application, service).filter(
    ({ job: { oncePerImage, container } }) =>
      !oncePerImage || !isDeployed(deployed, place, imageContent(container.image.pin)),
  )
  return {
    jobs,
    ...optional('reached', reachedOf(jobs, attempt)),
    ...jobContainers(containers, jobs, attempt),
  }
}

/** Whether all of them are over, and none is left to be put away (H22). */
export function areJobsOver({ jobs, reached, begun }: ProgressOfJobs, werePutAway: boolean): boolean {
  if (begun.length > 0) return false
  return reached === undefined ? werePutAway : reached.isOver && reached.name === nameOfLast(jobs)
}

/** Another job than these says nothing about this rollout, and nothing is known of an attempt that has ended. */
function reachedOf(jobs: readonly WantedJob[], attempt: Attempt | undefined): BegunJob | undefined {
  const job = attempt?.phase === 'open' ? attempt.job : undefined
  return jobs.some(({ container }) => container.engineName === job?.name) ? job : undefined
}

function nameOfLast(jobs: readonly WantedJob[]): string | undefined {
  return jobs.at(-1)?.container.engineName
}

/**
 * A job continues where its rollout was interrupted. A job of an attempt that has ended says nothing about the next
 * attempt. A job of the same stage that does something else says nothing about this release.
 */
function jobContainers(
  containers: readonly LiveContainer[],
  jobs: readonly WantedJob[],
  attempt: Attempt | undefined,
): Pick<ProgressOfJobs, 'begun' | 'leftOver'> {
  const there = containers.filter(container => isJob(container) && !isKeptContainer(container))
  const goesOn = attempt === undefined || attempt.phase === 'open'
  const names = new Set(goesOn ? jobs.map(({ container }) => container.engineName) : [])
  return {
    begun: there.filter(({ engineName }) => names.has(engineName)),
    leftOver: there.filter(({ engineName }) => !names.has(engineName)),
  }
}
