import type { Problem } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Application } from '../state/application/application.ts'
import type { ServiceEntry } from '../state/application/service-entry.ts'
import { imageKey, imagesOf } from '../state/image/images.ts'

/**
 * Creates a function that counts the different images of the applications of an environment, one application after the
 * other (G24). It returns what is wrong with one that would bring them beyond the limit, whose images do not count
 * then. Images that the operator configured do not count either.
 */
export function countImages(): (application: Application, entry: ServiceEntry) => readonly Problem[] {
  const counted = new Set<string>()
  return (application, { name, position }) => {
    const own = imagesOf([application]).filter(({ configuredIn }) => configuredIn === undefined)
    const added = own.map(imageKey).filter(image => !counted.has(image))
    if (counted.size + added.length > limits.imagesTogether) {
      const message = `${name} brings all applications together to more than ${limits.imagesTogether} different images; let them share images, or divide the environment`
      return [{ code: 'application-too-large', message, position }]
    }
    for (const image of added) counted.add(image)
    return []
  }
}
