import type { Problem } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import type { ContainerEntry, ServiceEntry } from '../../../state/application/service-entry.ts'
import { hasHost } from '../../../state/image/reference.ts'
import { lastPart } from '../../../text/last-part.ts'
import { listOfImages, type Pinned, possibleNames } from '../../build/pins.ts'
import { pinnedImage } from '../../image.ts'

/** The images that a manifest pins for the instances of a pod. */
export type PodPins = {
  /** Instances of the same images, and how many there are of them. At least one. */
  readonly instances: readonly { readonly images: ReadonlyMap<string, Pinned>; readonly count: number }[]
  readonly problems: readonly Problem[]
}

/**
 * Matches each `containers` entry of a manifest with an image of a pod, by the end of its name. An entry with a registry
 * is what runs, wherever that is (C4). Any other only selects, as it does for specifications: what runs has the path of
 * the pod, in the configured registry, because the name of an image in a pod need not lead to one. If the pod has only
 * one image, no match is needed. Several entries for one image are several instances, of which the first has the image of
 * the first entry (E25); an image with one entry, or with none, is the same in all of them.
 *
 * @param names those of the images of the apps
 */
export function pinsOfPod(
  names: readonly string[],
  file: string,
  { name: service, containers = [], position }: ServiceEntry,
  registry: string | undefined,
): PodPins {
  const pinned = new Map<string, Pinned[]>()
  const problems: Problem[] = []
  const texts = [...possibleNames(names)]
  const list = listOfImages(texts)
  for (const container of containers) {
    const { dockerName = service, dockerTag, dockerDigest } = container
    const matches = matching(texts, dockerName)
    const isWhole = hasHost(dockerName) || (matches.length === 0 && container.dockerName !== undefined)
    const [text, other] = matches.length === 0 && texts.length === 1 ? texts : matches
    if (text === undefined || other !== undefined) {
      const what = text === undefined ? 'is no image' : 'is the end of several images'
      note(container, `"${dockerName}" ${what} of ${file} (${list})`)
      continue
    }
    const digest = dockerDigest === undefined ? {} : { dockerDigest }
    const place = isWhole ? dockerName : pathOf(text)
    const image = pinnedImage(
      { dockerName: place, dockerTag, ...digest },
      registry ?? (isWhole ? undefined : hostOf(text)),
    )
    if (image.ok) {
      const one = { image: image.value, position: container.position }
      pinned.set(text, [...(pinned.get(text) ?? []), one])
    } else note(container, `image "${dockerName}:${dockerTag}" ${image.reason}`, 'image-invalid')
  }
  const counts = [...pinned].map(([text, images]) => ({ text, count: images.length }))
  const most = counts.reduce((most, one) => (one.count > most.count ? one : most), { text: '', count: 1 })
  for (const { text, count } of counts)
    if (count !== 1 && count !== most.count)
      note(
        { position },
        `${count} entries pin the image ${text} of ${file}, and ${most.count} pin ${most.text}; each image has one entry, or one for every instance`,
      )
  const isTooMuch = most.count > limits.instances
  if (isTooMuch)
    note(
      { position },
      `${most.count} entries pin the image ${most.text} of ${file}, and an application has at most ${limits.instances} instances; divide it into several applications`,
      'application-too-large',
    )
  const instances = Array.from(
    { length: isTooMuch ? 1 : most.count },
    (_, index) => new Map([...pinned].flatMap(([text, images]) => atOrFirst(text, images, index))),
  )
  return { instances: alike(instances), problems }

  function note(
    { position }: Pick<ContainerEntry, 'position'>,
    what: string,
    code: Problem['code'] = 'container-unmatched',
  ): void {
    problems.push({ code, message: `${service}: ${what}`, position })
  }
}

function atOrFirst(
  text: string,
  images: readonly Pinned[],
  index: number,
): readonly (readonly [string, Pinned])[] {
  const image = images.length === 1 ? images[0] : images[index]
  return image === undefined ? [] : [[text, image]]
}

/** Equal instances become one value, so that they are built once, wherever they are pinned. */
function alike(instances: readonly ReadonlyMap<string, Pinned>[]): PodPins['instances'] {
  const groups = Map.groupBy(instances, images =>
    JSON.stringify([...images].map(([text, { image }]) => [text, image])),
  )
  return [...groups.values()].flatMap(([images, ...others]) =>
    images === undefined ? [] : [{ images, count: others.length + 1 }],
  )
}

/**
 * Returns the names that are meant: the same one, or those that end like it. An entry with a registry of its own also
 * means those with the same last part.
 */
function matching(texts: readonly string[], dockerName: string): readonly string[] {
  const path = pathOf(dockerName)
  const last = lastPart(path)
  const rules: readonly ((text: string) => boolean)[] = [
    text => text === dockerName || text === path,
    text => text.endsWith(`/${path}`),
    text => hasHost(dockerName) && lastPart(text) === last,
  ]
  return rules.map(rule => texts.filter(rule)).find(found => found.length > 0) ?? []
}

function hostOf(name: string): string | undefined {
  return hasHost(name) ? name.slice(0, name.indexOf('/')) : undefined
}

function pathOf(name: string): string {
  return hasHost(name) ? name.slice(name.indexOf('/') + 1) : name
}
