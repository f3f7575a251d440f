import type { Problem } from '../errors.ts'
import { forSwarm } from '../resolve/swarm/for-swarm.ts'
import { type DesiredState, variantFor } from '../state/application/desired.ts'
import type { SwarmOptions } from '../state/application/swarm-service.ts'
import type { EnvironmentPlace } from '../state/identity.ts'

/** The sites of an environment that are Swarms, by name, and what is so of each. */
export type KnownSwarms = (place: EnvironmentPlace) => ReadonlyMap<string, SwarmOptions>

/**
 * Returns what no Swarm of an environment can do of what is wanted there. These are warnings: a deployment may mean other
 * sites.
 */
export function warningsOnSwarms(
  desired: DesiredState,
  swarms: ReadonlyMap<string, SwarmOptions>,
): readonly Problem[] {
  return [...swarms].flatMap(([site, options]) => {
    const here = variantFor(desired, site)
    const before = new Set(here.blocked)
    return forSwarm(here, options)
      .blocked.filter(blocked => !before.has(blocked))
      .flatMap(({ problems }) => problems)
      .map(problem => ({ ...problem, message: `on ${site}, ${problem.message}` }))
  })
}
