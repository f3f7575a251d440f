import { giveAddressesBack } from '../attachment.ts'
import type { Client } from '../client.ts'
import { inspectContainer } from '../inspect.ts'
import { refused } from '../refusal.ts'

const started = 304

/**
 * Starts a container; one that runs is left alone. One that was drained, and whose address another has got since, leaves
 * its gate: it is admitted there anew. Fails with `port-taken`, `mount-refused`, `start-refused` and the
 * engine's own words.
 */
export async function startContainer(client: Client, container: string, signal: AbortSignal): Promise<void> {
  const start = async () => {
    const request = { method: 'POST', path: `/containers/${container}/start`, limitMs: 120_000 } as const
    const answer = await client.call(request, signal)
    return answer.ok || answer.status === started ? undefined : answer
  }
  const refusal = await start()
  if (refusal === undefined) return
  const there = /address already in use/i.test(refusal.message)
    ? await inspectContainer(client, container, signal)
    : undefined
  const isFree = there !== undefined && (await giveAddressesBack(client, there, signal))
  const again = isFree ? await start() : refusal
  if (again !== undefined) throw refused(client.site, container, again)
}

/** Lets a paused container go on; one that is not paused is left alone. */
export async function unpauseContainer(
  client: Client,
  container: string,
  signal: AbortSignal,
): Promise<void> {
  const answer = await client.call({ method: 'POST', path: `/containers/${container}/unpause` }, signal)
  if (answer.ok) return
  const there = await inspectContainer(client, container, signal)
  if (there?.State.Status !== 'running') throw refused(client.site, container, answer)
}
