import type { Strategy } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import { isNone } from '../grammar/share.ts'

/** What is wrong, and the key of the service where it is written. */
export type FixedPortFault = { readonly key: 'replicas' | 'strategy'; readonly what: string }

/**
 * Returns why a host would publish one of its ports twice: for two instances, or for an old and a new one side by side
 * (D7, G1). A Swarm can, because it passes a port on to all tasks.
 * @param containers those of one instance
 */
export function fixedPortFault(
  containers: readonly Container[],
  replicas: number,
  strategy: Strategy,
): FixedPortFault | undefined {
  const [published] = containers.flatMap(({ ports = [] }) => ports.flatMap(port => port.published ?? []))
  if (published === undefined) return undefined
  const only = `only one instance can publish host port ${published}`
  if (replicas > 1) return { key: 'replicas', what: `is ${replicas}, but ${only}` }
  if (strategy.type === 'rolling' && !isNone(strategy.maxSurge))
    return { key: 'strategy', what: `is RollingUpdate, but ${only}; set maxSurge 0 or Recreate` }
  return undefined
}
