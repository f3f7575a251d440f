import { optional } from '../../../object.ts'
import type { Instance } from '../application.ts'
import type { Pin } from '../container/container.ts'
import type { Pod } from './pod.ts'

/**
 * Returns the pod of an instance, with the ids of the images that it runs from (C4); undefined if it is made from no
 * pod manifest. An id is missing as long as the image is not pinned.
 */
export function reifiedPod({ pod, containers }: Pick<Instance, 'pod' | 'containers'>): Pod | undefined {
  if (pod === undefined) return undefined
  const pins = new Map(containers.map(({ name, image }) => [name, image.pin]))
  const apps = pod.manifest.apps.map(app => ({
    ...app,
    image: { ...app.image, ...optional('id', idOf(pins.get(app.name))) },
  }))
  return { ...pod, manifest: { ...pod.manifest, apps } }
}

/** Image ids are hashes in the spelling of the specification. */
function idOf(pin: Pin | undefined): string | undefined {
  switch (pin?.state) {
    case 'pinned':
      return pin.digest.replace(':', '-')
    case 'unverified':
      return pin.imageId.replace(':', '-')
    case 'unknown':
    case undefined:
      return undefined
  }
}
