import type { Client } from '../docker/api/client.ts'
import { info } from '../docker/info.ts'
import type { EngineInfo } from '../engine.ts'
import { askManager } from './api/asked.ts'

type Told = { readonly ID: string }

/** Returns the identity of a Swarm: its own, whichever manager tells it. Fails with `swarm-unavailable`. */
export async function infoOfSwarm(client: Client, signal: AbortSignal): Promise<EngineInfo> {
  const [manager, swarm] = await Promise.all([
    info(client, signal),
    askManager<Told>(client, 'Swarm', { method: 'GET', path: '/swarm', limitMs: 10_000 }, signal),
  ])
  if (swarm === undefined) return manager
  const { host: _, ...told } = manager
  return { ...told, id: swarm.ID }
}
