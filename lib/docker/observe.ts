import type { Scope } from '../engine.ts'
import type { LiveState } from '../state/live.ts'
import type { Client } from './client.ts'
import { type ListedContainer, toLiveContainer } from './live-container.ts'
import { ownFilter } from './ownership.ts'
import { refused } from './refusal.ts'

/** What the engine runs of a scope, by name: one list call, however many containers there are. */
export async function observe(client: Client, scope: Scope, signal: AbortSignal): Promise<LiveState> {
  const answer = await client.call<readonly ListedContainer[]>(
    { method: 'GET', path: '/containers/json', query: { all: 1, filters: ownFilter(scope) } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  const containers = answer.body
    .flatMap(listed => toLiveContainer(listed) ?? [])
    .sort((a, b) => (a.engineName < b.engineName ? -1 : 1))
  return { site: client.site, containers }
}
