import type { Skipped } from '../../../engine.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { Client } from '../../api/client.ts'
import { inspectOwn } from '../../container/inspect/inspect.ts'
import { jobGraceMs } from '../../job/job.ts'
import { noneOfOwner } from '../../ownership.ts'
import { removeContainer } from '../container/remove-container.ts'
import { stopWithin } from '../container/stop-container.ts'

/** Stops a hook's container, kills it after ten seconds, and removes it (H6). It is no error if it is gone. */
export async function abortHook(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined) return noneOfOwner
  await stopWithin(client, there, jobGraceMs, signal)
  return removeContainer(client, container, provenance, signal)
}
