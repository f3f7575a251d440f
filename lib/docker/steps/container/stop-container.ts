import type { Skipped } from '../../../engine.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { type Inspected, inspectOwn } from '../../container/inspect/inspect.ts'
import { noneOfOwner } from '../../ownership.ts'

const stopped = 304
const missing = 404
/** The engine's grace period for a container that sets none. */
const defaultGraceMs = 10_000
/** The time that the engine may need besides to kill and clean up. */
export const marginMs: number = 60_000

/**
 * Stops a container of the owner, and kills it after its own grace period. Afterwards none of the owner's with that
 * name runs; a container of another owner is left alone, and the step left out (G10).
 */
export async function stopContainer(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined) return noneOfOwner
  await stopWithin(client, there, graceMsOf(there), signal)
  return undefined
}

/** Stops a container, and kills it after `graceMs`. Nothing happens if it does not run, or is gone. */
export async function stopWithin(
  client: Client,
  { Id }: Inspected,
  graceMs: number,
  signal: AbortSignal,
): Promise<void> {
  const query = { t: Math.ceil(graceMs / 1000) }
  const answer = await client.call(
    { method: 'POST', path: `/containers/${Id}/stop`, query, limitMs: graceMs + marginMs },
    signal,
  )
  if (answer.ok || answer.status === stopped || answer.status === missing) return
  throw refused(client.site, Id, answer)
}

/** Returns the grace period of a container itself. */
export function graceMsOf({ Config: { StopTimeout } }: Inspected): number {
  return StopTimeout == null ? defaultGraceMs : StopTimeout * 1000
}
