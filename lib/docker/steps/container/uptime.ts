import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { type Inspected, startedAtMs } from '../../container/inspect/inspect.ts'

/**
 * Returns how long ago a container was last started, in ms by the engine's clock; 0 if it never was, or if that clock
 * has been set back since.
 */
export async function uptimeMs(client: Client, container: Inspected, signal: AbortSignal): Promise<number> {
  const startedMs = startedAtMs(container)
  if (startedMs === undefined) return 0
  return Math.max(0, (await clockMs(client, signal)) - startedMs)
}

/** Returns the time by the engine's clock, in ms. */
export async function clockMs(client: Client, signal: AbortSignal): Promise<number> {
  const answer = await client.call<{ readonly SystemTime: string }>({ method: 'GET', path: '/info' }, signal)
  if (!answer.ok) throw refused(client.site, 'info', answer)
  return Date.parse(answer.body.SystemTime)
}
