import type { Scope } from '../engine.ts'
import type { LiveContainer, LiveState } from '../state/live.ts'
import type { Client } from './client.ts'
import { type ListedContainer, toLiveContainer } from './live-container.ts'
import { ownFilter } from './ownership.ts'
import { poll } from './poll.ts'
import { refused } from './refusal.ts'

/** How long a container may be caught in the middle of its removal before it counts as stuck there. */
const removalMs = 1_000

/**
 * What the engine runs of a scope, by name: one list call, however many containers there are. While one is just being
 * removed it looks again: what is about to be gone is neither there nor gone.
 */
export async function observe(client: Client, scope: Scope, signal: AbortSignal): Promise<LiveState> {
  let seen: readonly LiveContainer[] = []
  const settled = async () => {
    seen = await list(client, scope, signal)
    return seen.some(({ state }) => state === 'removing' || state === 'dead') ? undefined : seen
  }
  await poll(`${client.site}: list of containers`, settled, removalMs, signal)
  return { site: client.site, containers: seen }
}

async function list(client: Client, scope: Scope, signal: AbortSignal): Promise<readonly LiveContainer[]> {
  const answer = await client.call<readonly ListedContainer[]>(
    { method: 'GET', path: '/containers/json', query: { all: 1, filters: ownFilter(scope) } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  return answer.body
    .flatMap(listed => toLiveContainer(listed) ?? [])
    .sort((a, b) => (a.engineName < b.engineName ? -1 : 1))
}
