import type { Client } from '../../docker/api/client.ts'
import { nameTaken } from '../../docker/steps/name-taken.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { ask } from '../api/asked.ts'
import type { Task, ToldService } from '../api/service.ts'
import { tasksBy } from '../api/tasks.ts'

/** Returns a service of the owner by its name; undefined if there is none. Fails with `name-taken` if it is another's. */
export async function findService(
  client: Client,
  name: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<ToldService | undefined> {
  const path = `/services/${encodeURIComponent(name)}`
  const there = await ask<ToldService>(client, name, { method: 'GET', path }, signal)
  // A manager also finds a service by the beginning of its id.
  if (there === undefined || there.Spec.Name !== name) return undefined
  if (!isOurs(there.Spec.Labels, owner)) throw nameTaken(client.site, `service ${name}`, there.Spec.Labels)
  return there
}

/** Returns the tasks of a service, also those that have ended and are still known. */
export async function tasksOf(
  client: Client,
  { ID }: ToldService,
  signal: AbortSignal,
): Promise<readonly Task[]> {
  return tasksBy(client, { service: [ID] }, signal)
}
