import type { Task, ToldService } from '../api/service.ts'

/** How the last try of a job of a Swarm stands. */
export type JobTry =
  /** It was made, and never told to run. */
  | { readonly state: 'created' }
  /** It runs, or waits for a node that does not come. */
  | { readonly state: 'up'; readonly task?: Task }
  /** `words`: what kept its program from being started; empty if it ran. `task`: absent if it was stopped. */
  | { readonly state: 'ended'; readonly exitCode: number; readonly words: string; readonly task?: Task }

/** Whether a service runs to its end. */
export function isJobService({ Spec: { Mode } }: Pick<ToldService, 'Spec'>): boolean {
  return Mode?.ReplicatedJob !== undefined
}

/** What a process that was killed exits with. */
const killed = 137

/**
 * Returns how the last try of a job stands. Each try is a run of its own (`ForceUpdate` counts them), of which the Swarm
 * makes one task. One that was told to run no more was stopped. A task on a node that is lost may still run. Pure.
 */
export function lastTryOf({ ID, Spec, JobStatus }: ToldService, tasks: readonly Task[]): JobTry {
  if ((Spec.TaskTemplate.ForceUpdate ?? 0) === 0) return { state: 'created' }
  if ((Spec.Mode?.ReplicatedJob?.TotalCompletions ?? 0) === 0)
    return { state: 'ended', exitCode: killed, words: '' }
  const run = JobStatus?.JobIteration?.Index ?? 0
  const task = tasks
    .filter(one => one.ServiceID === ID && (one.JobIteration?.Index ?? 0) === run)
    .sort((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))[0]
  if (task === undefined) return { state: 'up' }
  const { State, Err = '', ContainerStatus } = task.Status
  switch (State) {
    case 'complete':
      return { state: 'ended', exitCode: 0, words: '', task }
    case 'failed':
    case 'shutdown':
    case 'rejected':
    case 'orphaned':
    case 'remove':
      return {
        state: 'ended',
        exitCode: ContainerStatus?.ExitCode || 1,
        words: hasRun(Err) ? '' : Err,
        task,
      }
    default:
      return { state: 'up', task }
  }
}

/** The Swarm says so of a program that ended by itself. */
function hasRun(words: string): boolean {
  return words === '' || words.startsWith('task: non-zero exit')
}
