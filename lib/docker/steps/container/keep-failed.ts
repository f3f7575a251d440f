import type { Skipped } from '../../../engine.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { disconnect } from '../../container/attachment.ts'
import { type Inspected, inspectOwn, startedAtMs } from '../../container/inspect/inspect.ts'
import { keepNewest } from './kept.ts'
import { removeContainer } from './remove-container.ts'
import { graceMsOf, stopWithin } from './stop-container.ts'

type KeepFailed = StepOf<'keep-failed'>

const missing = 404

/**
 * Stops a container of a failed instance, takes it from every network and renames it. It serves nothing, is never
 * started again, and is no longer an instance. The newest `keep` of its kind stay. A container that never ran, or is
 * healthy, is removed. A container of another owner is left alone (G10).
 */
export async function keepFailed(
  client: Client,
  { container, keep }: KeepFailed,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined || startedAtMs(there) === undefined || isHealthy(there))
    return removeContainer(client, container, provenance, signal)
  // A container that keeps crashing cannot be changed meanwhile.
  await stopWithin(client, there, graceMsOf(there), signal)
  await neverStartAgain(client, there, signal)
  const networks = Object.keys(there.NetworkSettings.Networks ?? {})
  for (const network of networks.filter(isLeft)) await disconnect(client, there.Id, network, signal)
  await keepNewest(client, there, { container, keep }, provenance, signal)
  return undefined
}

function isHealthy({ State: { Status, Health } }: Inspected): boolean {
  return Status === 'running' && Health?.Status === 'healthy'
}

async function neverStartAgain(client: Client, { Id }: Inspected, signal: AbortSignal): Promise<void> {
  const body = { RestartPolicy: { Name: 'no' } }
  const answer = await client.call({ method: 'POST', path: `/containers/${Id}/update`, body }, signal)
  if (!answer.ok && answer.status !== missing) throw refused(client.site, Id, answer)
}

/** The engine's own networks of these names cannot be left, and lead to no other container. */
function isLeft(network: string): boolean {
  return network !== 'host' && network !== 'none'
}
