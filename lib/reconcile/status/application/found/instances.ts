import { groupInstances } from '../../../../plan/compare/instance.ts'
import type { Service } from '../../../../state/application/application.ts'
import { hasRun } from '../../../../state/running/has-run.ts'
import { containerHealth, type HealthStatus, worstHealth } from '../../../../state/running/health.ts'
import type { LiveContainer } from '../../../../state/running/live.ts'

/**
 * Returns how many instances these services should have. How many nodes run a task of a service with one on each, only
 * the Swarm knows, and only while the service is there: undefined until then.
 */
export function instancesWanted(
  services: readonly Service[],
  live: readonly LiveContainer[],
): number | undefined {
  const counts = services.flatMap(({ name, instances }) =>
    instances.map(({ runs }) => {
      const replicas = runs?.replicas ?? 1
      return replicas === 'global' ? live.find(({ service }) => service === name)?.runs?.wanted : replicas
    }),
  )
  return counts.reduce<number | undefined>(
    (sum, count) => (sum === undefined || count === undefined ? undefined : sum + count),
    0,
  )
}

/**
 * Returns the worst health of all instances, including missing ones. Of more instances than wanted, those that a rollout
 * never started say nothing about what serves.
 */
export function instancesHealth(live: readonly LiveContainer[], wanted: number): HealthStatus {
  const instances = groupInstances(live)
  const begun = instances.filter(({ containers }) => containers.some(hasRun))
  const counted = begun.length < wanted ? instances : begun
  const parts = counted.flatMap(({ containers }) => containers.map(containerHealth))
  return worstHealth(counted.length < wanted ? [...parts, 'Missing'] : parts)
}

/** Returns the number of instances of which all containers run, or have run to their end. */
export function instancesRunning(live: readonly LiveContainer[]): number {
  return groupInstances(live)
    .filter(({ containers }) =>
      containers.every(({ role, state, isDone }) => role === 'init' || isDone || state === 'running'),
    )
    .reduce((sum, { containers: [{ runs }] }) => sum + (runs?.running ?? 1), 0)
}
