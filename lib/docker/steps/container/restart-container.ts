import type { Provenance } from '../../../plan/step/container-place.ts'
import { isOurs } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { inspectExisting } from '../../container/inspect/inspect.ts'
import { nameTaken } from '../../name-taken.ts'
import { graceMsOf, marginMs } from './stop-container.ts'

/**
 * Stops a container, kills it after its own grace period, and starts it again (A44). Fails with `container-missing`. A
 * container of another owner is left alone (G10).
 */
export async function restartContainer(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectExisting(client, container, signal)
  if (!isOurs(there.Config.Labels, provenance))
    throw nameTaken(client.site, `container ${container}`, there.Config.Labels)
  const graceMs = graceMsOf(there)
  const query = { t: Math.ceil(graceMs / 1000) }
  const answer = await client.call(
    { method: 'POST', path: `/containers/${there.Id}/restart`, query, limitMs: graceMs + marginMs },
    signal,
  )
  if (!answer.ok) throw refused(client.site, container, answer)
}
