import type { Strategy } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container.ts'
import { isNone } from '../grammar/share.ts'
import type { Spot } from '../spot.ts'

/**
 * Notes a fault if a port of the host would be published twice: by two instances, or by an old and a new one side by
 * side (D7, G1).
 */
export function faultFixedPorts(
  containers: readonly Container[],
  replicas: number,
  strategy: Strategy,
  spot: Spot,
): void {
  const [published] = containers.flatMap(({ ports = [] }) => ports.flatMap(port => port.published ?? []))
  if (published === undefined) return
  if (replicas > 1)
    spot.at('replicas').fault(`is ${replicas}, but only one instance can publish host port ${published}`)
  else if (strategy.type === 'rolling' && !isNone(strategy.maxSurge))
    spot
      .at('strategy')
      .fault(
        `is RollingUpdate, but only one instance can publish host port ${published}; set maxSurge 0 or Recreate`,
      )
}
