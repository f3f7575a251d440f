import type { Client } from '../../docker/api/client.ts'
import { nameTaken } from '../../docker/name-taken.ts'
import { Failure } from '../../errors.ts'
import { type Identity, isOurs } from '../../state/identity.ts'
import { ask } from '../api/asked.ts'
import type { Task, ToldService } from '../api/service.ts'
import { tasksBy } from '../api/tasks.ts'
import { isOwn } from './own.ts'

/**
 * Returns a service of the owner by its name; undefined if there is none. Fails with `name-taken` if it is another's, or
 * if Tallyman did not make it, whatever labels it has.
 */
export async function findService(
  client: Client,
  name: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<ToldService | undefined> {
  const there = await findByName(client, name, signal)
  if (there === undefined) return undefined
  const failure = failureOfOther(client.site, there, owner)
  if (failure !== undefined) throw failure
  return there
}

/** Returns a service of the owner by its name; undefined if there is none, also if another's has the name. */
export async function findOwn(
  client: Client,
  name: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<ToldService | undefined> {
  const there = await findByName(client, name, signal)
  return there !== undefined && isOwn(there.Spec, owner) ? there : undefined
}

async function findByName(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<ToldService | undefined> {
  const path = `/services/${encodeURIComponent(name)}`
  const there = await ask<ToldService>(client, name, { method: 'GET', path }, signal)
  // A manager also finds a service by the beginning of its id.
  return there?.Spec.Name === name ? there : undefined
}

/** Returns why a service cannot be taken for the owner's; undefined if it is. */
export function failureOfOther(
  site: string,
  { Spec }: Pick<ToldService, 'Spec'>,
  owner: Identity,
): Failure | undefined {
  const resource = `service ${Spec.Name}`
  if (!isOurs(Spec.Labels, owner)) return nameTaken(site, resource, Spec.Labels)
  if (isOwn(Spec, owner)) return undefined
  const message = `${site}: ${resource}: something else already has this name: it has labels of this environment, and they do not say that it is this service`
  return new Failure('name-taken', message, { resource })
}

/** Returns the tasks of a service, also those that have ended and are still known. */
export async function tasksOf(
  client: Client,
  { ID }: ToldService,
  signal: AbortSignal,
): Promise<readonly Task[]> {
  return tasksBy(client, { service: [ID] }, signal)
}
