import { isMark } from '../../claims/reserved-names.ts'
import { sandboxName } from '../../sandbox.ts'
import type { Spot } from '../../spot.ts'
import type { PodManifest } from '../pod.gen.ts'

/**
 * Notes a fault for names of apps that another app has, or that mean something of ours, and for names of ports that
 * another app has (C2, C30). One app with a name twice is told where its ports are read.
 */
export function faultAppNames({ apps }: PodManifest, spot: Spot): void {
  const seen = new Set<string>()
  const owners = new Map<string, string>()
  apps.forEach(({ name, app }, index) => {
    const at = spot.at(index, 'name')
    if (seen.has(name)) at.fault(`is "${name}" a second time`)
    if (name === sandboxName) at.fault(`is "${name}", which names what the apps of a pod share`)
    if (isMark(name))
      at.fault(`is "${name}"; what tallyman adds to the names of containers looks like that`, 'name-reserved')
    seen.add(name)
    app?.ports?.forEach((port, number) => {
      const owner = owners.get(port.name) ?? name
      owners.set(port.name, owner)
      if (owner !== name)
        spot
          .at(index, 'app', 'ports', number, 'name')
          .fault(
            `is "${port.name}", as a port of the app "${owner}" is; all ports of a pod need names of their own`,
          )
    })
  })
}
