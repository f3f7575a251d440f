import { claimKey, claimText, hostPort, meet } from '../../state/application/claim.ts'
import { isPublishedOnAll } from '../../state/application/swarm/swarm-service.ts'
import type { Difference, DiffResult } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'
import type { ContainerPlace } from '../step/container-place.ts'
import type { Held } from './held.ts'

/** Returns why a service cannot start what it lacks; undefined if no port of the host keeps it from that. */
export type HeldByPort = (difference: Pick<Difference, 'missing'>) => Held | undefined

/** Whether anything is to be started that publishes ports, so that it matters which are taken. */
export function needsPorts({ differences }: Pick<DiffResult, 'differences'>): boolean {
  return differences.some(({ missing }) =>
    missing.some(({ containers }) => containers.some(({ spec: { ports = [] } }) => ports.length > 0)),
  )
}

/**
 * Finds the services that need a port of the host which somebody else publishes there. The engine would refuse it
 * when the rollout is under way. On a Swarm, a port of some nodes keeps away only what needs it on all of them.
 */
export function heldByPorts({ ports = [] }: SiteResources): HeldByPort {
  const taken = Map.groupBy(ports, ({ port }) => claimKey(port))
  if (taken.size === 0) return () => undefined
  return ({ missing }) => {
    for (const { spec, placement } of missing.flatMap(({ containers }) => containers)) {
      const isThere = isPublishedThere(placement)
      for (const claim of (spec.ports ?? []).flatMap(port => hostPort(port) ?? [])) {
        const rivals = (taken.get(claimKey(claim)) ?? []).filter(one => isThere || one.isOnAll === true)
        const rival = rivals.find(one => meet(one.port, claim))
        if (rival !== undefined)
          return { code: 'port-taken', reason: `${rival.holder} publishes ${claimText(claim)}` }
      }
    }
    return undefined
  }
}

/** Whether what a service publishes is published on the engine that is asked. */
function isPublishedThere({ runs }: Pick<ContainerPlace, 'runs'>): boolean {
  return runs === undefined || isPublishedOnAll(runs)
}
