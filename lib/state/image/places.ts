import type { Position } from '../../errors.ts'
import type { Image } from '../application/container/container.ts'
import { imageKey } from './images.ts'

/** Where an image is written in the repository. It is for errors, and never a difference between two images. */
export type ImagePlace = {
  /** Where the image that runs is named: the entry of a manifest that pins it, or else its specification. */
  readonly image: Position
  /** Where its digest is demanded; absent: with the image. */
  readonly digest?: Position
  /** Where its platform is demanded; absent: with the image. */
  readonly platform?: Position
}

/** Where the images of an application are written, by `imageKey`. */
export type ImagePlaces = ReadonlyMap<string, ImagePlace>

/** What notes where images are written, while an application is built. */
export type ImageNotes = {
  /** Of several places of an image, the first one counts. */
  note(image: Image, place: ImagePlace): void
  readonly places: ImagePlaces
}

/** Creates notes about the images of one application. */
export function imageNotes(): ImageNotes {
  const places = new Map<string, ImagePlace>()
  return {
    note(image, place) {
      const key = imageKey(image)
      if (!places.has(key)) places.set(key, place)
    },
    places,
  }
}
