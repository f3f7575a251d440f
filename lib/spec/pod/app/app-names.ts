import { isMark } from '../../claims/reserved-names.ts'
import { sandboxName } from '../../sandbox.ts'
import type { Spot } from '../../spot.ts'
import type { PodManifest } from '../pod.gen.ts'

/** Notes a fault for names of apps that another app has, or that mean something of ours (C2). */
export function faultAppNames({ apps }: PodManifest, spot: Spot): void {
  const seen = new Set<string>()
  apps.forEach(({ name }, index) => {
    const at = spot.at(index, 'name')
    if (seen.has(name)) at.fault(`is "${name}" a second time`)
    if (name === sandboxName) at.fault(`is "${name}", which names what the apps of a pod share`)
    if (isMark(name))
      at.fault(`is "${name}"; what tallyman adds to the names of containers looks like that`, 'name-reserved')
    seen.add(name)
  })
}
