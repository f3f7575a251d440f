import type { Problem } from '../errors.ts'
import type { LabelledSite } from '../fleet/placement.ts'
import { publishedPorts } from '../ingress/ports.ts'
import { forHost } from '../resolve/for-host.ts'
import { hasRoutes } from '../resolve/routed-applications.ts'
import { forSwarm } from '../resolve/swarm/for-swarm.ts'
import { claimText, type HostPort, hostPort, meet } from '../state/application/claim.ts'
import type { Port } from '../state/application/container/container.ts'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import { containersOf } from '../state/application/members.ts'
import { isPublishedOnAll, type SwarmOptions } from '../state/application/swarm/swarm-service.ts'
import type { Listeners } from '../state/listeners.ts'
import { meantOn } from './meant-on.ts'

/** A Swarm and a host of one environment that are one engine, as the configuration names it. */
export type SharedEngine = {
  readonly swarm: LabelledSite & { readonly options: SwarmOptions }
  readonly host: LabelledSite
  /** Where the ingress of each listens, if there is to be one; absent: it is the operator's. */
  readonly listeners?: Listeners
}

/** A port that a service of a site publishes on the engine itself. */
type Published = { readonly by: string; readonly port: HostPort }

/**
 * Returns the ports of services that a Swarm and a host would both publish on the engine that they are: only one of them
 * can. They are warnings: a node that is drained publishes nothing of the Swarm.
 */
export function warningsOnSharedEngines(
  desired: DesiredState,
  shared: readonly SharedEngine[],
): readonly Problem[] {
  return shared.flatMap(({ swarm, host, listeners }) => {
    const onHost = forHost(meantOn(variantFor(desired, host.name), host))
    const onSwarm = forSwarm(meantOn(variantFor(desired, swarm.name), swarm), swarm.options)
    const there = [...publishedIn(onHost), ...publishedByIngress(onHost, listeners)]
    const { publish, ingress: { constraints } = {} } = swarm.options
    const isEverywhere = publish === 'ingress' || constraints === undefined
    const here = [...publishedIn(onSwarm), ...(isEverywhere ? publishedByIngress(onSwarm, listeners) : [])]
    return here.flatMap(one => {
      const rival = there.find(({ port }) => meet(port, one.port))
      return rival === undefined ? [] : [problemOf(one, rival, swarm.name, host.name)]
    })
  })
}

function problemOf({ by, port }: Published, rival: Published, swarm: string, host: string): Problem {
  const other = rival.by === by ? 'it' : rival.by
  return {
    code: 'port-taken',
    message: `on ${swarm}, ${by} publishes ${claimText(port)}, and so does ${other} on ${host}, which is the same engine`,
    hint: `Publish another port on one of them, or give an application a deployment that means only one. Otherwise the Swarm's is held for as long as the host has the port.`,
  }
}

/** Returns what applications publish on the engine of a site. */
function publishedIn({ applications }: DesiredState): readonly Published[] {
  return applications.flatMap(({ name, services }) =>
    services
      .filter(({ instances }) => instances.every(({ runs }) => runs === undefined || isPublishedOnAll(runs)))
      .flatMap(service =>
        containersOf(service).flatMap(({ ports = [] }) => claims(`${name}/${service.name}`, ports)),
      ),
  )
}

/** Returns what the ingress of a site publishes there, which runs if an application has a route. */
function publishedByIngress(
  { applications }: DesiredState,
  listeners: Listeners | undefined,
): readonly Published[] {
  if (listeners === undefined || !hasRoutes(applications)) return []
  return claims(
    'the ingress',
    publishedPorts(listeners).map(({ port }) => port),
  )
}

function claims(by: string, ports: readonly Port[]): readonly Published[] {
  return ports.flatMap(published => {
    const port = hostPort(published)
    return port === undefined ? [] : [{ by, port }]
  })
}
