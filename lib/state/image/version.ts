import type { Application } from '../application/application.ts'
import { containersOf } from '../application/members.ts'

/** An image as it was pinned. */
export type PinnedImage = { readonly reference: string; readonly digest: string }

/** The images of all containers with which an application runs, or ran, on one site (A6). */
export type Version = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly images: readonly PinnedImage[]
}

/**
 * Returns the images of all containers of an application, including jobs and sandboxes, each once, and only those with
 * a digest.
 */
export function pinnedImages({ services }: Application): readonly PinnedImage[] {
  const pinned = services
    .flatMap(containersOf)
    .flatMap(({ image: { reference, pin } }) =>
      pin.state === 'pinned' ? [{ reference, digest: pin.digest }] : [],
    )
  return [...new Map(pinned.map(image => [pinnedName(image), image])).values()]
}

/** Returns `registry.example.com/team/web:1.2@sha256:…`. */
export function pinnedName({ reference, digest }: PinnedImage): string {
  return `${reference}@${digest}`
}
