import { label, labelOf } from '../../../state/labels.ts'
import { isJob } from '../../../state/running/job-container.ts'
import type { Task, ToldService } from '../../api/service.ts'
import { hasTaskEnded } from './standing.ts'

/** How the last try of a job of a Swarm stands. */
export type JobTry =
  /** It was made, and never told to run. */
  | { readonly state: 'created' }
  /** It runs, or waits for a node that does not come. */
  | { readonly state: 'up'; readonly task?: Task }
  | {
      readonly state: 'ended'
      /** At least 1 unless it succeeded. */
      readonly exitCode: number
      /** Its program was started. */
      readonly hasRun: boolean
      /** What the Swarm says of it besides its exit code; empty: nothing. */
      readonly words: string
      /** How the Swarm itself ended it, whatever its program made of that; absent: it ended by itself. */
      readonly endedBy?: string
      /** Absent: it was stopped. */
      readonly task?: Task
    }

/** Whether a service is a hook or a phase. */
export function isJobService({ Spec: { Labels } }: Pick<ToldService, 'Spec'>): boolean {
  return isJob({ role: labelOf(Labels, label.role) })
}

/** What a process that was killed exits with. */
const killed = 137

/** How the Swarm ended a task whose job was to run, by its state. What its container exited with then says nothing. */
const endedBySwarm: Readonly<Record<string, string>> = {
  shutdown: 'was stopped by the Swarm before it had ended, as it does if a node is drained',
  remove: 'was removed by the Swarm before it had ended',
  orphaned: 'was given up by the Swarm, because its node is lost',
}

/**
 * Returns how the last try of a job stands. `ForceUpdate` counts the tries, and the Swarm makes one task of each. A job
 * that was told to run no more was stopped. A task on a node that is lost may still run. Pure.
 */
export function lastTryOf({ ID, Spec }: ToldService, tasks: readonly Task[]): JobTry {
  const { ForceUpdate: tries = 0 } = Spec.TaskTemplate
  if (tries === 0) return { state: 'created' }
  if (Spec.Mode?.Replicated?.Replicas === 0)
    return { state: 'ended', exitCode: killed, hasRun: true, words: '' }
  const task = tasks
    .filter(one => one.ServiceID === ID && one.Spec.ForceUpdate === tries)
    .sort((a, b) => Date.parse(b.Status.Timestamp) - Date.parse(a.Status.Timestamp))[0]
  if (task === undefined) return { state: 'up' }
  if (!hasTaskEnded(task)) return { state: 'up', task }
  const { State, Message, Err = '', ContainerStatus } = task.Status
  if (State === 'complete') return { state: 'ended', exitCode: 0, hasRun: true, words: '', task }
  const endedBy = endedBySwarm[State]
  if (endedBy !== undefined)
    return { state: 'ended', exitCode: killed, hasRun: true, words: '', endedBy, task }
  const hasRun = State !== 'rejected' && (State !== 'failed' || Message === 'started')
  const words = Err.startsWith('task: non-zero exit') ? '' : Err
  return { state: 'ended', exitCode: ContainerStatus?.ExitCode || 1, hasRun, words, task }
}

/** Returns what a try waits for that is up, in words; undefined: for its own end, or the Swarm has said nothing. Pure. */
export function waitOfTry(lastTry: JobTry): string | undefined {
  if (lastTry.state !== 'up' || lastTry.task === undefined) return undefined
  const { DesiredState, Status } = lastTry.task
  if (Status.State === 'pending') return Status.Err || undefined
  return DesiredState === 'running' || DesiredState === 'ready' || DesiredState === 'complete'
    ? undefined
    : 'the Swarm has given it up on its node, which does not say that it has ended'
}
