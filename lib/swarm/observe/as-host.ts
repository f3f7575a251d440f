import type { Client } from '../../docker/api/client.ts'
import { listContainers } from '../../docker/observe/list-containers.ts'
import type { Publishing } from '../../docker/observe/taken/publishing.ts'
import { publishedBy } from '../../docker/observe/taken/taken-ports.ts'
import type { EngineName } from '../../engine.ts'
import type { TakenPort } from '../../plan/resources.ts'
import { askFor } from '../api/asked.ts'

/** The part of `GET /info` that is used. */
type ToldInfo = {
  readonly ID: string
  readonly Name: string
  readonly Swarm?: { readonly NodeID?: string }
}

/**
 * Returns the engine that a Swarm is asked by. Undefined if the Swarm runs no tasks there, and where that cannot be found
 * out: then nothing is said of that engine.
 */
export async function asHost(client: Client, signal: AbortSignal): Promise<EngineName | undefined> {
  const { ID, Name, Swarm } = await askFor<ToldInfo>(client, 'info', { method: 'GET', path: '/info' }, signal)
  if (!Swarm?.NodeID) return undefined
  const path = `/nodes/${Swarm.NodeID}`
  const node = await client.call<{ readonly Spec?: { readonly Availability?: string } }>(
    { method: 'GET', path },
    signal,
  )
  const isActive = node.ok && node.body.Spec?.Availability === 'active'
  return isActive ? { id: ID, host: Name } : undefined
}

/** Returns the ports that the engine publishes by which a Swarm is asked, except for tasks, if the Swarm runs some there. */
export async function portsAsHost(client: Client, signal: AbortSignal): Promise<readonly TakenPort[]> {
  const isTask = 'com.docker.swarm.task.id'
  const running = await listContainers<Publishing>(client, {}, signal)
  const ports = publishedBy(running.filter(({ Labels }) => Labels?.[isTask] === undefined))
  return ports.length > 0 && (await asHost(client, signal)) !== undefined ? ports : []
}
