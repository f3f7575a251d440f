import { sumOf } from '../../../numbers.ts'
import type { TasksOfService } from '../../../state/pass/tasks-now.ts'
import type { ApplicationStatus, TasksStatus } from './application-status.ts'
import { taskCountText } from './task-count-text.ts'

/**
 * Tells how many tasks run in words: `1 of 3 tasks of web run, and 2 of before`.
 * @param others what those are that are replaced
 */
export function tasksText(all: readonly TasksOfService[], others = 'of before'): string {
  return all
    .map(one => `${taskCountText(one)}${one.earlier === 0 ? '' : `, and ${one.earlier} ${others}`}`)
    .join('; ')
}

/** Returns the tasks of an application that were seen since the pass began. */
export function tasksUnderWay(
  { site, application }: Pick<ApplicationStatus, 'site' | 'application'>,
  all: readonly TasksOfService[],
): readonly TasksOfService[] {
  return all.filter(one => one.site === site && one.application === application)
}

/**
 * Returns applications with the tasks of their services as they are now, where a pass has seen them, and as they were seen
 * before otherwise (G13). Pure.
 */
export function withTasksNow(
  all: readonly ApplicationStatus[],
  seen: readonly TasksOfService[],
): readonly ApplicationStatus[] {
  return seen.length === 0 ? all : all.map(one => withTasks(one, tasksUnderWay(one, seen)))
}

function withTasks(one: ApplicationStatus, now: readonly TasksOfService[]): ApplicationStatus {
  if (now.length === 0) return one
  const { tasks: before = [], wanted: wantedBefore, ...rest } = one
  const names = new Set(now.map(({ service }) => service))
  const others = before.filter(({ service }) => !names.has(service))
  const tasks = [
    ...others,
    ...now.flatMap(({ service, nodes }) => nodes.map((node): TasksStatus => ({ service, ...node }))),
  ]
  // If all ran that were wanted, those of other services are as many as are wanted of them.
  const wanted =
    wantedBefore === one.running ? running(others) + sumOf(now, ({ wanted }) => wanted) : wantedBefore
  return {
    ...rest,
    running: running(tasks),
    ...(wanted === undefined ? {} : { wanted }),
    ...(tasks.length === 0 ? {} : { tasks }),
  }
}

function running(tasks: readonly TasksStatus[]): number {
  return sumOf(tasks, one => one.running)
}
