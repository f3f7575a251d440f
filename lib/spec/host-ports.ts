import type { Service, Strategy } from '../state/application.ts'
import type { Container } from '../state/container.ts'
import { membersOf } from '../state/members.ts'
import { isNone } from './grammar/share.ts'
import type { Spot } from './spot.ts'

/** A host port can be published once: not by two instances, nor by an old and a new one side by side (D7, G1). */
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

/** Nor can two services of one application publish it. */
export function faultSharedPorts(services: readonly Service[], spot: Spot): void {
  const owners = new Map<string, string>()
  services.forEach(({ name, instances }, index) => {
    const [instance] = instances
    const ports = instance === undefined ? [] : membersOf(instance).flatMap(({ ports = [] }) => ports)
    for (const { published, hostIp = '', protocol } of ports) {
      if (published === undefined) continue
      const place = `${hostIp}:${published}/${protocol}`
      const owner = owners.get(place)
      if (owner !== undefined && owner !== name)
        spot.at(index).fault(`publishes host port ${published}, which the service ${owner} publishes too`)
      owners.set(place, name)
    }
  })
}
