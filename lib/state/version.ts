import type { Application } from './application.ts'
import { containersOf } from './members.ts'

/** An image as it was pinned. */
export type PinnedImage = { readonly reference: string; readonly digest: string }

/** What an application runs with, or ran with, on one site: the images of all its containers (A6). */
export type Version = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly images: readonly PinnedImage[]
}

/** The images of all containers of an application, jobs and sandboxes included, each once; only those with a digest. */
export function pinnedImages({ services }: Application): readonly PinnedImage[] {
  const pinned = services
    .flatMap(containersOf)
    .flatMap(({ image: { reference, pin } }) =>
      pin.state === 'pinned' ? [{ reference, digest: pin.digest }] : [],
    )
  return [...new Map(pinned.map(image => [nameOf(image), image])).values()]
}

/** `registry.example.com/team/web:1.2@sha256:…` */
export function nameOf({ reference, digest }: PinnedImage): string {
  return `${reference}@${digest}`
}
