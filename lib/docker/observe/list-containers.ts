import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import type { ListedContainer } from './live-container.ts'

/** What is listed, by the engine's own filters. */
export type ListQuery = {
  /** Set if containers that do not run are listed too. */
  readonly all?: 1
  readonly filters?: Readonly<Record<string, readonly string[]>>
}

/** Returns the engine's list of containers, the newest first. Fails if the engine refuses it. */
export async function listContainers<Entry = ListedContainer>(
  client: Client,
  query: ListQuery,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const answer = await client.call<readonly Entry[]>(
    { method: 'GET', path: '/containers/json', query },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  return answer.body
}
