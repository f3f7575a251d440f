import type { SwarmOptions } from '../state/application/swarm-service.ts'

/** What a site says of itself as a Swarm. */
export type WrittenSwarm = {
  readonly kind?: 'host' | 'swarm'
  readonly endpointMode?: SwarmOptions['endpoint']
  readonly publishMode?: SwarmOptions['publish']
  /** The endpoints of further managers. */
  readonly managers?: readonly string[]
}

/** Returns what is so of a site as a Swarm; undefined if it is a host. */
export function swarmOptionsOf({ kind, endpointMode, publishMode }: WrittenSwarm): SwarmOptions | undefined {
  return kind === 'swarm' ? { endpoint: endpointMode ?? 'vip', publish: publishMode ?? 'ingress' } : undefined
}

/** Reports what only Swarms have at a site that is none. */
export function faultSwarmKeys(
  site: WrittenSwarm,
  pointer: string,
  fault: (pointer: string, reason: string) => void,
): void {
  if (site.kind === 'swarm') return
  for (const key of ['managers', 'endpointMode', 'publishMode'] as const)
    if (site[key] !== undefined) fault(`${pointer}/${key}`, 'is only for a site with "kind: swarm"')
}
