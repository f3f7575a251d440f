import type { Problem } from '../errors.ts'
import { forHost } from '../resolve/for-host.ts'
import { forSwarm } from '../resolve/swarm/for-swarm.ts'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import type { SwarmOptions } from '../state/application/swarm/swarm-service.ts'
import { volumesPerNode } from '../state/application/swarm/volumes-per-node.ts'
import type { SiteLabels } from '../state/fleet/labels.ts'
import type { EnvironmentPlace } from '../state/identity.ts'
import { meantOn } from './meant-on.ts'

/** What the sites of an environment are, by name: hosts, or Swarms of which this is so. */
export type SiteKinds = ReadonlyMap<string, 'host' | SwarmOptions>

/** Returns what the sites of an environment are. */
export type KnownKinds = (place: EnvironmentPlace) => SiteKinds

/**
 * Returns what no Swarm of an environment can do of what is wanted there, and no host beside a Swarm, and what would lose
 * its data on a Swarm. These are warnings: a deployment may mean other sites once labels are others.
 * @param labels those of the sites, without which nobody knows which of them a deployment means
 */
export function warningsOnSites(
  desired: DesiredState,
  kinds: SiteKinds,
  labels: ReadonlyMap<string, SiteLabels> = new Map(),
): readonly Problem[] {
  if ([...kinds.values()].every(kind => kind === 'host')) return []
  return [...kinds].flatMap(([site, kind]) => {
    const own = labels.get(site)
    const wanted = variantFor(desired, site)
    const here = own === undefined ? wanted : meantOn(wanted, { name: site, labels: own })
    const shaped = kind === 'host' ? forHost(here) : forSwarm(here, kind)
    const before = new Set(here.blocked)
    const unable = shaped.blocked
      .filter(blocked => !before.has(blocked))
      .flatMap(({ problems }) => problems)
      .map(problem => ({ ...problem, message: `on ${site}, ${problem.message}` }))
    return kind === 'host' ? unable : [...unable, ...volumesOfNodes(shaped, site)]
  })
}

/** Which nodes a Swarm has is seen only by a plan. */
function volumesOfNodes({ applications, asking }: DesiredState, site: string): readonly Problem[] {
  return applications.flatMap(({ name, services }) =>
    services.flatMap(service => {
      const places = asking?.get(name)?.get(service.name)
      return volumesPerNode(service, { application: name, site, places }, undefined)
    }),
  )
}
