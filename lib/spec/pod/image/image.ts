import { optional } from '../../../object.ts'
import type { Image } from '../../../state/application/container/container.ts'
import type { ImagePlace } from '../../../state/image/places.ts'
import { isTag } from '../../../state/image/reference.ts'
import type { Pinned } from '../../build/pins.ts'
import { readImage, withRegistry } from '../../image.ts'
import type { Spot } from '../../spot.ts'
import { parseImageId } from '../grammar/image-id.ts'
import type { PodPlace } from '../place.ts'
import { labelledPlatform } from '../platform.ts'
import type { PodApp } from '../pod.gen.ts'

/** The name by which a manifest pins the image of an app: its own, or that of the app if it has none. */
export function imageNameOf({ name, image }: PodApp): string {
  return image.name ?? name
}

/**
 * Returns the image that an app runs from (C4): the one that the manifest pins, or else the name with the label
 * `version`. An id that registries know has to fit. One of an archive is known to none of them, so what the pin or the
 * name leads to runs in its place, with a warning (D14). A template has no id, and the name with the label is enough
 * (C4). The labels `os` and `arch` choose a platform, and an image that is not for it is refused. Undefined if a fault
 * was noted.
 */
export function readPodImage(
  written: PodApp,
  { pinned, registry }: { readonly pinned: Image | undefined; readonly registry: string | undefined },
  place: PodPlace,
): Image | undefined {
  const { id: text, name, labels = [] } = written.image
  const version = labels.find(label => label.name === 'version')?.value
  if (text === undefined && (name === undefined || version === undefined)) {
    place.invalid.fault('has neither an "id" nor a "name" with the label "version"')
    return undefined
  }
  const platform = labelledPlatform(labels)
  const id = text === undefined ? undefined : place.invalid.at('id').take(parseImageId(text))
  const unlike = pinned ?? named()
  if (unlike === undefined) return undefined
  const image = { ...unlike, ...optional('platform', platform) }
  if (id === undefined) return image
  if (id.kind === 'archive') {
    place.changed
      .at('id')
      .fault(`names an archive, which no registry knows; ${image.reference} runs in its place`)
    return image
  }
  if (image.expectedDigest !== undefined && image.expectedDigest !== id.digest) {
    place.invalid
      .at('id')
      .fault(`is ${id.digest}, and the manifest pins ${image.expectedDigest}`, 'digest-mismatch')
    return undefined
  }
  return { ...image, expectedDigest: id.digest }

  function named(): Image | undefined {
    if (name === undefined || (id?.kind !== 'digest' && version === undefined)) {
      place.unrunnable.fault(
        'leads to no image of a registry; give it a "name" and the label "version", or pin it in the manifest: {"dockerName": …, "dockerTag": …}',
      )
      return undefined
    }
    if (version !== undefined && !isTag(version)) {
      const at = labels.findIndex(label => label.name === 'version')
      place.unrunnable
        .at('labels', at, 'value')
        .fault(`"${version.slice(0, 40)}" is no tag, which is 1 to 128 letters, digits, "_", "." or "-"`)
      return undefined
    }
    const reference = `${withRegistry(name, registry)}${version === undefined ? '' : `:${version}`}`
    const digest = version === undefined && id?.kind === 'digest' ? `@${id.digest}` : ''
    return place.invalid.at('name').take(readImage(`${reference}${digest}`))
  }
}

/**
 * Returns where the image of an app is written: where the manifest pins it, or else in the pod. Its id and its labels are
 * demands of the pod, whatever the manifest pins.
 * @param spot that of the image in the pod
 */
export function placeOfImage(
  { image: { id, name, labels = [] } }: PodApp,
  pin: Pinned | undefined,
  spot: Spot,
): ImagePlace {
  const named = name === undefined ? spot.at('id') : spot.at('name')
  const isDemanded = id !== undefined && pin?.image.expectedDigest === undefined
  const label = ['arch', 'os'].map(one => labels.findIndex(({ name }) => name === one)).find(at => at >= 0)
  return {
    image: pin?.position ?? named.position(),
    ...(isDemanded ? { digest: spot.at('id').position() } : {}),
    ...(label === undefined ? {} : { platform: spot.at('labels', label, 'value').position() }),
  }
}
