import { isRecord } from '../../object.ts'
import { parsedJson } from '../../parsed-json.ts'
import { label, labelOf } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { inspectContainer } from '../container/inspect/inspect.ts'
import type { OpenStore } from './store.ts'

/** A pod that was registered: its sandbox, and the file with what it is told. No token is in it. */
export type KnownPod = { readonly sandbox: string; readonly uuid: string; readonly record: string }

/** Below the directory of the metadata service: a file for each service, with its pods that were registered. */
export const knownDirectory = 'known'

function fileOf(service: string): string {
  return `${knownDirectory}/${service}.json`
}

/**
 * Remembers a pod of a service, and forgets those of which somebody removed the sandbox by hand: their tokens stood
 * nowhere else, so nobody could name them later.
 */
export async function rememberPod(
  client: Client,
  { read, write }: OpenStore,
  service: string,
  pod: KnownPod,
  signal: AbortSignal,
): Promise<void> {
  const there: KnownPod[] = []
  for (const other of podsIn((await read(fileOf(service))) ?? '')) {
    if (other.record === pod.record) continue
    if (await exists(client, other, signal)) there.push(other)
    else await write(other.record, '')
  }
  await write(fileOf(service), JSON.stringify([...there, pod]))
}

async function exists(client: Client, { sandbox, uuid }: KnownPod, signal: AbortSignal): Promise<boolean> {
  const found = await inspectContainer(client, sandbox, signal)
  return found !== undefined && labelOf(found.Config.Labels, label.pod) === uuid
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
