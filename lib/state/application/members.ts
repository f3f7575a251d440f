import { onceFor } from '../../memo/once-for.ts'
import type { Application, Instance, Service } from './application.ts'
import type { Container } from './container/container.ts'
import { isOfOperator } from './ingress/external.ts'
import type { Volume } from './volume.ts'

/** Returns all containers of an instance, in the order in which they are created. */
export function membersOf({ sandbox, init = [], containers }: Instance): readonly Container[] {
  return [...(sandbox === undefined ? [] : [sandbox]), ...init, ...containers]
}

/**
 * Returns all containers that a service may run, of its instances and its jobs. A container of the operator is not
 * included.
 */
export function containersOf(service: Service): readonly Container[] {
  if (isOfOperator(service)) return []
  const { instances, jobs = [] } = service
  return [...instances.flatMap(membersOf), ...jobs.map(({ container }) => container)]
}

/** Returns the persistent volumes of a service, of its instances and its jobs. */
export function volumesOfService({
  instances,
  jobs = [],
}: Pick<Service, 'instances' | 'jobs'>): readonly Volume[] {
  return [...new Set(instances), ...jobs].flatMap(({ volumes }) => volumes)
}

/** Whether nobody knows what an application consists of, because an image of it could not be resolved. */
export function hasUnknownImage({ services }: Pick<Application, 'services'>): boolean {
  return isUnknownIn(services)
}

const isUnknownIn = onceFor((services: readonly Service[]) =>
  services.flatMap(containersOf).some(({ image }) => image.pin.state === 'unknown'),
)

/** Returns the same application with every container replaced by the result of `change`. */
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

/**
 * Equal instances that are one value stay one value, so that each container of a thousand replicas is changed once
 * (G24).
 */
function mapInstances(
  instances: readonly Instance[],
  change: (container: Container) => Container,
): readonly Instance[] {
  const changed = new Map([...new Set(instances)].map(one => [one, mapMembers(one, change)]))
  return instances.map(instance => changed.get(instance) ?? instance)
}

/** Returns the same instance with every container replaced by the result of `change`. */
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
