import { isRecord } from '../../object.ts'
import { parsedJson } from '../../parsed-json.ts'
import type { Identity } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { listContainers } from '../observe/list-containers.ts'
import { engineNameOf } from '../observe/live-container.ts'
import { ownFilter } from '../ownership.ts'
import type { OpenStore, StoredFile } from './store.ts'

/** A pod that was registered: its sandbox, and the file with what it is told. No token is in it. */
export type KnownPod = { readonly sandbox: string; readonly uuid: string; readonly record: string }

/** Below the directory of the metadata service: a file for each service, with its pods that were registered. */
export const knownDirectory = 'known'

function fileOf(service: string): string {
  return `${knownDirectory}/${service}.json`
}

/** Returns the file with the pods of a service that were registered. */
export function listOf(service: string, pods: readonly KnownPod[]): StoredFile {
  return { file: fileOf(service), content: JSON.stringify(pods) }
}

/**
 * Returns the other pods of a service that were registered: those that are there, and those of which somebody removed
 * the sandbox by hand. Tokens of those stand nowhere else, so nobody could name them later.
 */
export async function otherPods(
  client: Client,
  read: OpenStore['read'],
  { service, pod }: { readonly service: string; readonly pod: KnownPod },
  owner: Identity,
  signal: AbortSignal,
): Promise<{ readonly there: readonly KnownPod[]; readonly gone: readonly KnownPod[] }> {
  const others = podsIn((await read(fileOf(service))) ?? '').filter(({ record }) => record !== pod.record)
  if (others.length === 0) return { there: [], gone: [] }
  const filters = { label: [...ownFilter(owner).label, `${label.service}=${service}`, label.pod] }
  const listed = await listContainers(client, { all: 1, filters }, signal)
  const uuidOf = new Map(listed.map(({ Names, Labels }) => [engineNameOf(Names), labelOf(Labels, label.pod)]))
  const { there = [], gone = [] } = Object.groupBy(others, ({ sandbox, uuid }) =>
    uuidOf.get(sandbox) === uuid ? 'there' : 'gone',
  )
  return { there, gone }
}

/** Returns the pods in such a file. One that somebody else wrote there names no pods. */
export function podsIn(text: string): readonly KnownPod[] {
  const value = parsedJson(text)
  return Array.isArray(value) ? value.flatMap(knownPod) : []
}

function knownPod(value: unknown): readonly KnownPod[] {
  if (!isRecord(value)) return []
  const { sandbox, uuid, record } = value
  const isKnown =
    typeof sandbox === 'string' &&
    typeof uuid === 'string' &&
    typeof record === 'string' &&
    /^pods\/[0-9a-f]{64}\.json$/.test(record)
  return isKnown ? [{ sandbox, uuid, record }] : []
}
