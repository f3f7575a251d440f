import type { Service } from '../../state/application/application.ts'
import { canonical } from '../../state/canonical.ts'
import type { Service as WrittenService } from '../application.gen.ts'
import type { Spot } from '../spot.ts'
import { places } from './pallet.ts'

/**
 * Notes a fault for each file system of the contract that a service has otherwise than an earlier one of its application.
 * There is one of each kind for all of them (P30, P31), and users get static files from that one.
 * @param written the same services, in the same order
 */
export function faultDifferingPlaces(
  services: readonly Service[],
  written: readonly WrittenService[],
  spot: Spot,
): void {
  const seen = new Map<string, { readonly service: string; readonly mount: string }>()
  services.forEach(({ name, instances, resting }, index) => {
    if (written[index]?.pallet === undefined) return
    const [instance] = [...instances, ...(resting?.instances ?? [])]
    for (const path of places.keys()) {
      const mount = instance?.containers[0].mounts?.find(one => one.path === path)
      if (mount === undefined) continue
      const own = { service: name, mount: canonical(mount) }
      const first = seen.get(path) ?? own
      if (first.mount !== own.mount)
        spot
          .at(index, 'volumes')
          .fault(
            `has another file system at ${path} than the service ${first.service}, and the Pallet services of an application share one`,
          )
      seen.set(path, first)
    }
  })
}
