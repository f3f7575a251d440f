import type { Position, Problem } from '../../errors.ts'
import type { Image } from '../../state/application/container/container.ts'
import type { ContainerEntry, ServiceEntry } from '../../state/application/service-entry.ts'
import { hasHost } from '../../state/image/reference.ts'
import type { Parsed } from '../../state/parsed.ts'
import { pinnedImage, withRegistry } from '../image.ts'

/** The images that a manifest pins, by their spelling in the specification, and where it does. */
export type Pins = { readonly images: ReadonlyMap<string, Pinned>; readonly problems: readonly Problem[] }

/** An image that a manifest pins, and the place of the entry. */
export type Pinned = { readonly image: Image; readonly position: Position }

/**
 * Matches each `containers` entry of a manifest with an image of the specification, by name: as written, with the
 * registry's prefix, or by the end of the path. If the specification has only one container, no match is needed. An
 * entry that matches nothing is a problem, and so are two for one image.
 *
 * @param written the images as the specification's containers spell them, in order
 */
export function pinsOf(
  written: readonly string[],
  file: string,
  entry: ServiceEntry,
  registry: string | undefined,
): Pins {
  const images = new Map<string, Pinned>()
  const problems: Problem[] = []
  const note = (code: Problem['code'], message: string, { position }: ContainerEntry): void => {
    problems.push({ code, message, position })
  }
  const texts = [...new Set(written)]
  for (const container of entry.containers ?? []) {
    const name = container.dockerName ?? entry.name
    const alone = written.length === 1 ? texts : []
    const matches = texts.filter(text => isNamed(text, name, registry))
    const pinned = matches.length > 0 ? matches : alone
    if (pinned.length === 0)
      note(
        'container-unmatched',
        `${entry.name}: "${name}" is no image of ${file} (${listOf(texts)})`,
        container,
      )
    for (const text of pinned) {
      const image = pin(text, matches.length > 0, container, name, registry)
      if (images.has(text))
        note('container-unmatched', `${entry.name}: two entries pin the image ${text} of ${file}`, container)
      else if (image.ok) images.set(text, { image: image.value, position: container.position })
      else
        note(
          'image-invalid',
          `${entry.name}: image "${name}:${container.dockerTag}" ${image.reason}`,
          container,
        )
    }
  }
  return { images, problems }
}

/** The part of an image's spelling before tag and digest. */
function nameOf(text: string): string {
  const [named = ''] = text.split('@', 1)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  return colon === -1 ? named : named.slice(0, colon)
}

function isNamed(text: string, name: string, registry: string | undefined): boolean {
  const own = nameOf(text)
  return own === name || own === withRegistry(name, registry) || own.endsWith(`/${name}`)
}

/**
 * Returns the specification's own repository, unless the name in the manifest includes a registry. Then that counts, as
 * anywhere in a manifest.
 */
function pin(
  text: string,
  isMatch: boolean,
  container: ContainerEntry,
  name: string,
  registry: string | undefined,
): Parsed<Image> {
  const { dockerTag, dockerDigest } = container
  const own = nameOf(text)
  const isManifests = isMatch ? own === name && !hasHost(own) : container.dockerName !== undefined
  const rest = { dockerTag, ...(dockerDigest === undefined ? {} : { dockerDigest }) }
  return isManifests
    ? pinnedImage({ dockerName: name, ...rest }, registry)
    : pinnedImage({ dockerName: own, ...rest }, undefined)
}

function listOf(texts: readonly string[]): string {
  return texts.map(nameOf).join(', ')
}
