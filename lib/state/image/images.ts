import type { Application, Service } from '../application/application.ts'
import type { Image } from '../application/container/container.ts'
import { containersOf } from '../application/members.ts'

/** Returns the distinct images that applications may run, in the order in which they are declared. */
export function imagesOf(applications: readonly Pick<Application, 'services'>[]): readonly Image[] {
  const images = applications
    .flatMap(({ services }) => services.flatMap(service => containersOf(withoutRepeats(service))))
    .map(({ image }) => image)
  return [...new Map(images.map(image => [imageKey(image), image])).values()]
}

/** Replicas are one value, so each of them has the same images (G24). */
function withoutRepeats(service: Service): Service {
  return { ...service, instances: [...new Set(service.instances)] }
}

/** Returns a text that is equal for images about which a registry is asked the same. */
export function imageKey({ reference, platform = '', expectedDigest = '', configuredIn }: Image): string {
  return `${reference} ${platform} ${expectedDigest}${configuredIn === undefined ? '' : ` ${configuredIn}`}`
}
