import type { Image } from '../state/container.ts'
import { type Parsed, parsed } from '../state/parsed.ts'
import { formatReference, hasHost, type Reference, readReference } from '../state/reference.ts'
import { withoutEnd } from '../without-end.ts'

/** An image as an application specification names it: Docker's familiar names, `latest` without tag and digest. */
export function readImage(text: string): Parsed<Image> {
  const reference = readReference(text)
  if (!reference.ok) return reference
  const { digest, ...named } = reference.value
  return parsed(imageOf(digest === undefined ? { tag: 'latest', ...named } : named, digest))
}

/** What an entry of a manifest pins, with the configured registry in front of a name that has none (E24). */
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

/** The name with the registry's prefix, unless it names a registry itself. */
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
