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
 * Matches each `containers` entry of a manifest with an image of the specification, by name: as written or with the
 * registry's prefix, or else by the end of the path. It pins every tag of the image. If the specification has only one
 * container, no match is needed. An entry that matches nothing is a problem, and so are one that is the end of several
 * images, and two for one image.
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
    const { matches, isUnclear } = matching(texts, name, registry)
    const pinned = matches.length > 0 ? matches : alone
    if (pinned.length === 0 || isUnclear) {
      const what = isUnclear ? 'is the end of several images' : 'is no image'
      note('container-unmatched', `${entry.name}: "${name}" ${what} of ${file} (${listOf(texts)})`, container)
      continue
    }
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

/**
 * Returns the images that a name of a manifest means. A name with the registry in front is the same image as the bare one,
 * which gets that registry when it is pinned. The end of a path counts only where nothing has the whole name, and means
 * nothing certain where it is that of several names.
 */
function matching(
  texts: readonly string[],
  name: string,
  registry: string | undefined,
): { readonly matches: readonly string[]; readonly isUnclear: boolean } {
  const whole = texts.filter(text => [name, withRegistry(name, registry)].includes(nameOf(text)))
  if (whole.length > 0) return { matches: whole, isUnclear: false }
  const ending = texts.filter(text => nameOf(text).endsWith(`/${name}`))
  return { matches: ending, isUnclear: new Set(ending.map(nameOf)).size > 1 }
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
