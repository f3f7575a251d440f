import type { TasksOfService } from '../../../state/pass/tasks-now.ts'

/** Returns `1 of 3 tasks of web run`. */
export function taskCountText({
  service,
  running,
  wanted,
}: Pick<TasksOfService, 'service' | 'running' | 'wanted'>): string {
  return `${running} of ${wanted} ${wanted === 1 ? 'task' : 'tasks'} of ${service} run`
}
