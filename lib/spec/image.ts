import type { Image } from '../state/application/container/container.ts'
import { formatReference, hasHost, type Reference, readReference } from '../state/image/reference.ts'
import { type Parsed, parsed } from '../state/parsed.ts'
import { withoutEnd } from '../text/without-end.ts'

/** Reads an image of an application specification by Docker's familiar names. Without tag and digest it is `latest`. */
export function readImage(text: string): Parsed<Image> {
  const reference = readReference(text)
  if (!reference.ok) return reference
  const { digest, ...named } = reference.value
  return parsed(imageOf(digest === undefined ? { tag: 'latest', ...named } : named, digest))
}

/** Returns the image that an entry of a manifest pins. The configured registry precedes a name that has none (E24). */
export function pinnedImage(entry: PinnedName, registry: string | undefined): Parsed<Image> {
  const { dockerName, dockerTag, dockerDigest } = entry
  const reference = readReference(`${withRegistry(dockerName, registry)}:${dockerTag}`)
  return reference.ok ? parsed(imageOf(reference.value, dockerDigest)) : reference
}

export type PinnedName = {
  readonly dockerName: string
  readonly dockerTag: string
  readonly dockerDigest?: string
}

/** Returns the name with the registry's prefix, unless it names a registry itself. */
export function withRegistry(name: string, registry: string | undefined): string {
  return registry === undefined || hasHost(name) ? name : `${withoutEnd(registry, '/')}/${name}`
}

function imageOf(reference: Reference, expectedDigest: string | undefined): Image {
  return {
    reference: formatReference(reference),
    ...(expectedDigest === undefined ? {} : { expectedDigest }),
    pin: { state: 'unknown', reason: 'not resolved yet' },
  }
}

/** Replaces a reference that could not be read. Its application has a problem and is never used. */
export const noImage: Image = { reference: '', pin: { state: 'unknown', reason: 'no valid reference' } }
