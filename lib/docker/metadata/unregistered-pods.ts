import { posix } from 'node:path'
import { directory } from '../../metadata/place.ts'
import { metadataVolume } from '../../state/application/metadata.ts'
import type { Identity } from '../../state/identity.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { entriesOf, filesUpTo, openArchive } from '../container/files/archive.ts'
import { knownDirectory, podsIn } from './known-pods.ts'
import { mostRead } from './store.ts'

/** The sandbox of a pod, and the UUID of the pod. */
export type PodThere = { readonly id: string; readonly uuid: string }

type Asked = {
  readonly pods: readonly PodThere[]
  /** The id of the service's container, which need not run; undefined: there is none. */
  readonly service: string | undefined
  readonly owner: Identity
}

/**
 * Returns the sandboxes of pods that the metadata service does not know, because its volume was removed. A volume
 * cannot go while a container has it, so nothing is asked as long as the same container is there and all pods are known
 * that it was asked for. Where the service is not there, but its volume is, nothing is said.
 */
export async function unregisteredPods(
  client: Client,
  { pods, service, owner }: Asked,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const volume = metadataVolume(owner.environment).name
  const lacking = (uuids: ReadonlySet<string>) => pods.filter(({ uuid }) => !uuids.has(uuid))
  const before = client.registered.get(volume)
  if (service !== undefined && before?.service === service && lacking(before.uuids).length === 0)
    return new Set()
  const uuids =
    service === undefined
      ? await withoutVolume(client, volume, signal)
      : await registeredIn(client, service, signal)
  if (uuids === undefined) return new Set()
  if (service !== undefined) client.registered.set(volume, { service, uuids })
  return new Set(lacking(uuids).map(({ id }) => id))
}

/** Without its volume, the service knows no pod. */
async function withoutVolume(
  client: Client,
  volume: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const answer = await client.call({ method: 'GET', path: `/volumes/${volume}` }, signal)
  return !answer.ok && answer.status === 404 ? new Set() : undefined
}

/** Returns the UUIDs of all pods that were registered; undefined if the engine does not tell, as of a container that is gone. */
async function registeredIn(
  client: Client,
  service: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const answer = await openArchive(client, service, posix.join(directory, knownDirectory), signal)
  if (!answer.ok) {
    const { code } = refused(client.site, service, answer)
    return answer.status === 404 && code === 'engine-refused' ? new Set() : undefined
  }
  const uuids = new Set<string>()
  for await (const { content } of entriesOf(client.site, answer.body, filesUpTo(mostRead), signal))
    for (const { uuid } of podsIn(content?.toString() ?? '')) uuids.add(uuid)
  return uuids
}
