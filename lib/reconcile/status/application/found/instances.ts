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

/** Returns the worst health of all services, of which each has as many instances as it should, or misses some. */
export function servicesHealth(services: readonly Service[], live: readonly LiveContainer[]): HealthStatus {
  const wanted = new Map(services.map(({ name, instances }) => [name, instances.length]))
  const found = Map.groupBy(live, ({ service }) => service)
  const names = new Set([...wanted.keys(), ...found.keys()])
  return worstHealth([...names].map(name => instancesHealth(found.get(name) ?? [], wanted.get(name) ?? 0)))
}

/**
 * Returns the worst health of the instances of a service, including missing ones. Of more instances than wanted, those that
 * a rollout never started say nothing about what serves, and nor do those that have ended, which it replaced.
 */
function instancesHealth(live: readonly LiveContainer[], wanted: number): HealthStatus {
  const instances = groupInstances(live)
  const begun = instances.filter(({ containers }) => containers.some(hasRun))
  const counted = withoutEnded(begun.length < wanted ? instances : begun, wanted)
  const parts = counted.flatMap(({ containers }) => containers.map(containerHealth))
  return worstHealth(counted.length < wanted ? [...parts, 'Missing'] : parts)
}

/** Leaves out those that have ended, as long as more are left than wanted, and first those that did so well. */
function withoutEnded(instances: readonly Instance[], wanted: number): readonly Instance[] {
  const ended = instances
    .filter(({ containers }) => containers.every(hasEnded))
    .toSorted((one, other) => Number(isIll(one)) - Number(isIll(other)))
  const surplus = new Set(ended.slice(0, Math.max(0, instances.length - wanted)))
  return instances.filter(one => !surplus.has(one))
}

type Instance = ReturnType<typeof groupInstances>[number]

function isIll({ containers }: Instance): boolean {
  return worstHealth(containers.map(containerHealth)) === 'Degraded'
}

function hasEnded({ state }: LiveContainer): boolean {
  return state === 'exited' || state === 'dead' || state === 'removing'
}

/** Returns the number of instances of which all containers run, or have run to their end. */
export function instancesRunning(live: readonly LiveContainer[]): number {
  return groupInstances(live)
    .filter(({ containers }) =>
      containers.every(({ role, state, isDone }) => role === 'init' || isDone || state === 'running'),
    )
    .reduce((sum, { containers: [{ runs }] }) => sum + (runs?.running ?? 1), 0)
}
