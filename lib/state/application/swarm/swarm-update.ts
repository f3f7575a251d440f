import { countOf } from '../../share-of.ts'
import type { Service } from '../application.ts'
import type { SwarmService, SwarmUpdate } from './swarm-service.ts'

/**
 * Returns how a Swarm replaces the tasks of a service: as a host would its instances (D7). What only one can have is
 * stopped first: a volume, or a port that is published on the nodes themselves.
 */
export function swarmUpdate(
  { instances, strategy }: Pick<Service, 'instances' | 'strategy'>,
  { replicas: told, publish }: Pick<SwarmService, 'replicas' | 'publish'>,
): SwarmUpdate {
  const { type, maxSurge, maxUnavailable, healthyMs } = strategy
  const replicas = told === 'global' ? 1 : told
  const containers = instances.flatMap(instance => instance.containers)
  const hasExclusive = containers.some(({ mounts = [] }) =>
    mounts.some(mount => mount.kind === 'volume' && mount.exclusive),
  )
  if (type === 'recreate' || hasExclusive)
    return { parallelism: 0, order: 'stop-first', monitorMs: healthyMs }
  const hasNodePort =
    publish === 'host' && containers.some(({ ports = [] }) => ports.some(({ published }) => published))
  const surge = hasNodePort ? 0 : countOf(maxSurge, replicas, 'up')
  if (surge > 0) return { parallelism: surge, order: 'start-first', monitorMs: healthyMs }
  const parallelism = Math.max(1, countOf(maxUnavailable, replicas, 'down'))
  return { parallelism, order: 'stop-first', monitorMs: healthyMs }
}
