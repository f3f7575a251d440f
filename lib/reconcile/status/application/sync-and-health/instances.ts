import { sumOf } from '../../../../numbers.ts'
import {
  groupInstances,
  type LiveInstance,
  wantedInstance,
} from '../../../../plan/compare/instance/instance.ts'
import { countIn, instancesInTarget } from '../../../../plan/compare/target/target.ts'
import type { Application, Service } from '../../../../state/application/application.ts'
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
 * Returns the worst health of all services, of which each has as many instances as it should, or misses some. Until
 * something of what is wanted is there that was not before, it should have no more than it was last brought to.
 * @param targetOf what a service of the application was last brought to on the site, if something else is due now;
 * undefined: nothing else is, or it never was brought to anything
 */
export function servicesHealth(
  environment: string,
  application: Application,
  live: readonly LiveContainer[],
  targetOf: (service: string) => string | undefined,
): HealthStatus {
  const wanted = new Map(application.services.map(service => [service.name, service]))
  const found = Map.groupBy(live, ({ service }) => service)
  const names = new Set([...wanted.keys(), ...found.keys()])
  const isKnown = [...names].some(name => targetOf(name) !== undefined)
  const isAsBefore =
    isKnown && live.filter(hasRun).every(one => countIn(targetOf(one.service) ?? '', one.fingerprint) > 0)
  const healthOf = (name: string) => {
    const [service, here = []] = [wanted.get(name), found.get(name)]
    const isWanted = ({ fingerprint }: LiveInstance) =>
      service?.instances.some(
        (one, index) =>
          wantedInstance(environment, application, service, one, index + 1).fingerprint === fingerprint,
      ) ?? false
    const due = service?.instances.length ?? 0
    const count = isAsBefore ? Math.min(due, instancesInTarget(targetOf(name) ?? '')) : due
    return instancesHealth(here, count, isWanted)
  }
  return worstHealth([...names].map(healthOf))
}

/**
 * Returns the worst health of the instances of a service, including missing ones. Of more instances than wanted, those that
 * a rollout never started say nothing about what serves, and nor do those that it replaced and that have ended.
 */
function instancesHealth(
  live: readonly LiveContainer[],
  wanted: number,
  isWanted: (instance: LiveInstance) => boolean,
): HealthStatus {
  const instances = groupInstances(live)
  const begun = instances.filter(({ containers }) => containers.some(hasRun))
  const counted = withoutReplaced(begun.length < wanted ? instances : begun, wanted, isWanted)
  const parts = counted.flatMap(({ containers }) => containers.map(containerHealth))
  return worstHealth(counted.length < wanted ? [...parts, 'Missing'] : parts)
}

/** Leaves out those that have ended and are not wanted as they are, as long as more are left than wanted. */
function withoutReplaced(
  instances: readonly LiveInstance[],
  wanted: number,
  isWanted: (instance: LiveInstance) => boolean,
): readonly LiveInstance[] {
  const surplus = instances.length - wanted
  if (surplus <= 0) return instances
  const replaced = instances.filter(one => one.containers.every(hasEnded) && !isWanted(one))
  const left = new Set(replaced.slice(0, surplus))
  return instances.filter(one => !left.has(one))
}

function hasEnded({ state }: LiveContainer): boolean {
  return state === 'exited' || state === 'dead' || state === 'removing'
}

/** Returns the number of instances of which all containers run, or have run to their end. */
export function instancesRunning(live: readonly LiveContainer[]): number {
  const whole = groupInstances(live).filter(({ containers }) =>
    containers.every(({ role, state, isDone }) => role === 'init' || isDone || state === 'running'),
  )
  return sumOf(whole, ({ containers: [{ runs }] }) => runs?.running ?? 1)
}
