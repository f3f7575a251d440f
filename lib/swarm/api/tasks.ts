import type { Client } from '../../docker/api/client.ts'
import { askManager } from './asked.ts'
import type { Task } from './service.ts'

type Filters = Readonly<Record<string, readonly string[]>>

/**
 * Returns the tasks that match filters, also those that have ended and are still known. Why one failed has no secret in
 * it (G16).
 */
export async function tasksBy(
  client: Client,
  filters: Filters,
  signal: AbortSignal,
): Promise<readonly Task[]> {
  return (await tasksOfAll(client, filters, signal)) ?? []
}

/** The same; undefined if one of the services that the filters name is gone, of whatever others there are. */
export async function tasksOfAll(
  client: Client,
  filters: Filters,
  signal: AbortSignal,
): Promise<readonly Task[] | undefined> {
  const request = { method: 'GET', path: '/tasks', query: { filters } } as const
  const tasks = await askManager<readonly Task[]>(client, 'list of tasks', request, signal)
  return tasks?.map(task => {
    const { Err } = task.Status
    return Err ? { ...task, Status: { ...task.Status, Err: client.redact(Err) } } : task
  })
}
