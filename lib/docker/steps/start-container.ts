import type { Client } from '../client.ts'
import { inspectContainer } from '../inspect.ts'
import { refused } from '../refusal.ts'

const started = 304

/**
 * Starts a container; one that runs is left alone. Fails with `port-taken`, `mount-refused`, `start-refused` and the
 * engine's own words.
 */
export async function startContainer(client: Client, container: string, signal: AbortSignal): Promise<void> {
  const answer = await client.call(
    { method: 'POST', path: `/containers/${container}/start`, limitMs: 120_000 },
    signal,
  )
  if (!answer.ok && answer.status !== started) throw refused(client.site, container, answer)
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
