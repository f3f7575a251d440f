import type { Position, Problem } from '../../errors.ts'
import type { Image } from '../../state/application/container/container.ts'
import type { ContainerEntry, ServiceEntry } from '../../state/application/service-entry.ts'
import { hasHost } from '../../state/image/reference.ts'
import type { Parsed } from '../../state/parsed.ts'
import { bounded } from '../../text/bounded.ts'
import { firstAndMore } from '../../text/first-and-more.ts'
import { pinnedImage, withRegistry } from '../image.ts'

/** The images that a manifest pins, and what is wrong with its entries. */
export type Pins = {
  /** Returns what is pinned for an image as the specification spells it. */
  readonly pinned: (image: string) => Pinned | undefined
  readonly problems: readonly Problem[]
}

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
  const pins = new Map<string, Pinned>()
  const problems: Problem[] = []
  const note = (code: Problem['code'], message: string, { position }: ContainerEntry): void => {
    problems.push({ code, message, position })
  }
  const names = possibleNames(written.map(nameOf))
  const ends = endsOf(names)
  const list = listOfImages([...names])
  for (const container of entry.containers ?? []) {
    const name = container.dockerName ?? entry.name
    const alone = written.length === 1 ? [...names] : []
    const { matches, isUnclear } = matching(names, ends, name, registry)
    const pinned = matches.length > 0 ? matches : alone
    if (pinned.length === 0 || isUnclear) {
      const what = isUnclear ? 'is the end of several images' : 'is no image'
      note('container-unmatched', `${entry.name}: "${name}" ${what} of ${file} (${list})`, container)
      continue
    }
    for (const own of pinned) {
      const image = pin(own, matches.length > 0, container, name, registry)
      if (pins.has(own))
        note('container-unmatched', `${entry.name}: two entries pin the image ${own} of ${file}`, container)
      else if (image.ok) pins.set(own, { image: image.value, position: container.position })
      else
        note(
          'image-invalid',
          `${entry.name}: image "${name}:${container.dockerTag}" ${image.reason}`,
          container,
        )
    }
  }
  return { pinned: image => pins.get(nameOf(image)), problems }
}

/** Returns each name once, without those that are too long for any image: each entry would look through them (G24). */
export function possibleNames(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.filter(({ length }) => length <= longestName))
}

/** The most characters of a registry and of a repository in it. */
const longestName = 2 * 255

/** Returns images as a message names them: the first few of them (G24). */
export function listOfImages(names: readonly string[]): string {
  return bounded(firstAndMore(names, mostNamed))
}

const mostNamed = 10

/** The part of an image's spelling before tag and digest. */
function nameOf(text: string): string {
  const [named = ''] = text.split('@', 1)
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1)
  return colon === -1 ? named : named.slice(0, colon)
}

/** The ends of names after each slash, with the first two names that have it. */
type Ends = ReadonlyMap<string, readonly string[]>

function endsOf(names: ReadonlySet<string>): Ends {
  const ends = new Map<string, readonly string[]>()
  for (const name of names)
    for (let slash = name.indexOf('/'); slash !== -1; slash = name.indexOf('/', slash + 1)) {
      const end = name.slice(slash + 1)
      const others = ends.get(end) ?? []
      if (others.length < 2) ends.set(end, [...others, name])
    }
  return ends
}

/**
 * Returns the names of images that a name of a manifest means. A name with the registry in front is the same image as the bare one,
 * which gets that registry when it is pinned. The end of a path counts only where nothing has the whole name, and means
 * nothing certain where it is that of several names.
 */
function matching(
  names: ReadonlySet<string>,
  ends: Ends,
  name: string,
  registry: string | undefined,
): { readonly matches: readonly string[]; readonly isUnclear: boolean } {
  const whole = [...new Set([name, withRegistry(name, registry)])].filter(one => names.has(one))
  if (whole.length > 0) return { matches: whole, isUnclear: false }
  const ending = ends.get(name) ?? []
  return { matches: ending, isUnclear: ending.length > 1 }
}

/**
 * Returns the specification's own repository, unless the name in the manifest includes a registry. Then that counts, as
 * anywhere in a manifest.
 */
function pin(
  own: string,
  isMatch: boolean,
  container: ContainerEntry,
  name: string,
  registry: string | undefined,
): Parsed<Image> {
  const { dockerTag, dockerDigest } = container
  const isManifests = isMatch ? own === name && !hasHost(own) : container.dockerName !== undefined
  const rest = { dockerTag, ...(dockerDigest === undefined ? {} : { dockerDigest }) }
  return isManifests
    ? pinnedImage({ dockerName: name, ...rest }, registry)
    : pinnedImage({ dockerName: own, ...rest }, undefined)
}
