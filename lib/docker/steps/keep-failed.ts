import type { Provenance, Step } from '../../plan/step.ts'
import { keptName } from '../../state/job-container.ts'
import { disconnect } from '../attachment.ts'
import type { Client } from '../client.ts'
import { type Inspected, inspectOwn, startedAtMs } from '../inspect.ts'
import { refused } from '../refusal.ts'
import { keptLike, rename } from './kept.ts'
import { removeContainer } from './remove-container.ts'
import { graceMsOf, stopWithin } from './stop-container.ts'

type KeepFailed = Extract<Step, { do: 'keep-failed' }>

const missing = 404

/**
 * Stops a container of an instance that failed, takes it from every network and gives it another name: it serves
 * nothing, is never started again, and is no instance any more. The newest `keep` of its kind stay. What never ran, or
 * is healthy, is removed; what is not ours is left alone (G10).
 */
export async function keepFailed(
  client: Client,
  { container, keep }: KeepFailed,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined || startedAtMs(there) === undefined || isHealthy(there))
    return removeContainer(client, container, provenance, signal)
  // What crashes again and again cannot be changed while it does.
  await stopWithin(client, there, graceMsOf(there), signal)
  await neverStartAgain(client, there, signal)
  const networks = Object.keys(there.NetworkSettings.Networks ?? {})
  for (const network of networks.filter(isLeft)) await disconnect(client, there.Id, network, signal)
  await rename(client, there, keptName(container, there.Id), signal)
  const kept = await keptLike(client, there, provenance, signal)
  for (const name of kept.slice(keep)) await removeContainer(client, name, provenance, signal)
}

function isHealthy({ State: { Status, Health } }: Inspected): boolean {
  return Status === 'running' && Health?.Status === 'healthy'
}

async function neverStartAgain(client: Client, { Id }: Inspected, signal: AbortSignal): Promise<void> {
  const body = { RestartPolicy: { Name: 'no' } }
  const answer = await client.call({ method: 'POST', path: `/containers/${Id}/update`, body }, signal)
  if (!answer.ok && answer.status !== missing) throw refused(client.site, Id, answer)
}

/** The engine's own networks of these names cannot be left, and reach nobody of ours. */
function isLeft(network: string): boolean {
  return network !== 'host' && network !== 'none'
}
