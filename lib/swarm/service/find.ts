import type { Client } from '../../docker/api/client.ts'
import { Failure } from '../../errors.ts'
import { type Identity, isOurs, ownerInWords } from '../../state/identity.ts'
import { askManager } from '../api/asked.ts'
import type { ServiceSpec, Task, ToldService } from '../api/service.ts'
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
  const there = await askManager<ToldService>(client, name, { method: 'GET', path }, signal)
  // A manager also finds a service by the beginning of its id.
  return there?.Spec.Name === name ? there : undefined
}

/** Returns why a service cannot be taken for the owner's; undefined if it is. */
export function failureOfOther(
  site: string,
  { Spec }: Pick<ToldService, 'Spec'>,
  owner: Identity,
): Failure | undefined {
  const holder = otherOwner(Spec, owner)
  if (holder === undefined) return undefined
  const resource = `service ${Spec.Name}`
  const message = `${site}: ${resource}: something else already has this name: it is ${holder}`
  return new Failure('name-taken', message, { resource })
}

/** Says whose a service is, in words, that is not the owner's; undefined if it is. */
export function otherOwner(spec: Pick<ServiceSpec, 'Name' | 'Labels'>, owner: Identity): string | undefined {
  if (!isOurs(spec.Labels, owner)) return ownerInWords(spec.Labels)
  if (isOwn(spec, owner)) return undefined
  return 'one with labels of this environment, which do not say that it is this service'
}

/** Returns the tasks of a service, also those that have ended and are still known. */
export async function tasksOf(
  client: Client,
  { ID }: ToldService,
  signal: AbortSignal,
): Promise<readonly Task[]> {
  return tasksBy(client, { service: [ID] }, signal)
}
