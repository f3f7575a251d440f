import type { Application, Instance, Service } from './application.ts'
import type { Container } from './container.ts'

/** Every container of an instance, in the order in which they are created. */
export function membersOf({ sandbox, init = [], containers }: Instance): readonly Container[] {
  return [...(sandbox === undefined ? [] : [sandbox]), ...init, ...containers]
}

/** Every container that a service may run: of its instances and of its jobs. One of the operator's is none of them. */
export function containersOf({ instances, jobs = [], external }: Service): readonly Container[] {
  if (external) return []
  return [...instances.flatMap(membersOf), ...jobs.map(({ container }) => container)]
}

/** The same application with every container put through `change`. */
export function mapContainers(
  application: Application,
  change: (container: Container) => Container,
): Application {
  return {
    ...application,
    services: application.services.map(service => ({
      ...service,
      instances: mapInstances(service.instances, change),
      ...(service.jobs && {
        jobs: service.jobs.map(job => ({ ...job, container: change(job.container) })),
      }),
    })),
  }
}

/** Instances that are one value stay one: of a thousand replicas each container is changed once (G24). */
function mapInstances(
  instances: readonly Instance[],
  change: (container: Container) => Container,
): readonly Instance[] {
  const changed = new Map([...new Set(instances)].map(one => [one, mapMembers(one, change)]))
  return instances.map(instance => changed.get(instance) ?? instance)
}

/** The same instance with every container put through `change`. */
export function mapMembers(instance: Instance, change: (container: Container) => Container): Instance {
  const { sandbox, init, containers } = instance
  const [first, ...others] = containers
  return {
    ...instance,
    ...(sandbox && { sandbox: change(sandbox) }),
    ...(init && { init: init.map(change) }),
    containers: [change(first), ...others.map(change)],
  }
}
