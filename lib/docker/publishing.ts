import type { Client } from './client.ts'
import type { EngineAnswer } from './dial.ts'
import type { NamedContainer } from './holder-in-words.ts'

/** A running container in the engine's list, with its ports. */
export type Publishing = NamedContainer & {
  readonly Ports?: readonly PublishedPort[] | null
}

type PublishedPort = {
  readonly IP?: string
  readonly PublicPort?: number
  readonly Type: 'tcp' | 'udp' | 'sctp'
}

/** Asks for the running containers that the engine's filters match. */
export function listPublishing(
  client: Client,
  filters: Readonly<Record<string, readonly string[]>>,
  signal: AbortSignal,
): Promise<EngineAnswer<readonly Publishing[]>> {
  return client.call({ method: 'GET', path: '/containers/json', query: { filters } }, signal)
}
