import type { Problem } from '../../errors.ts'
import type { Image } from '../../state/application/container.ts'
import type { ContainerEntry, ServiceEntry } from '../../state/application/service-entry.ts'
import { hasHost } from '../../state/image/reference.ts'
import type { Pins } from '../build/pins.ts'
import { pinnedImage } from '../image.ts'

/**
 * Matches each `containers` entry of a manifest with an image of a pod, by the end of its name. The name of an image in
 * a pod need not lead to a registry, so the entry alone says what runs, wherever that is (C4). If the pod has only one
 * image, no match is needed.
 *
 * @param names those of the images of the apps
 */
export function pinsOfPod(
  names: readonly string[],
  file: string,
  { name: service, containers = [] }: ServiceEntry,
  registry: string | undefined,
): Pins {
  const images = new Map<string, Image>()
  const problems: Problem[] = []
  const texts = [...new Set(names)]
  for (const container of containers) {
    const { dockerName = service, dockerTag, dockerDigest } = container
    const matches = matching(texts, dockerName)
    const [text, other] = matches.length === 0 && texts.length === 1 ? texts : matches
    if (text === undefined || other !== undefined) {
      const what = text === undefined ? 'is no image' : 'is the end of several images'
      note(container, `"${dockerName}" ${what} of ${file} (${texts.join(', ')})`)
      continue
    }
    if (images.has(text)) note(container, `two entries pin the image ${text} of ${file}`)
    const digest = dockerDigest === undefined ? {} : { dockerDigest }
    const image = pinnedImage({ dockerName, dockerTag, ...digest }, registry)
    if (image.ok) images.set(text, image.value)
    else note(container, `image "${dockerName}:${dockerTag}" ${image.reason}`, 'image-invalid')
  }
  return { images, problems }

  function note(
    { position }: ContainerEntry,
    what: string,
    code: Problem['code'] = 'container-unmatched',
  ): void {
    problems.push({ code, message: `${service}: ${what}`, position })
  }
}

/** Returns the names that are meant: the same one, or those that end like it, or those with the same last part. */
function matching(texts: readonly string[], dockerName: string): readonly string[] {
  const path = hasHost(dockerName) ? dockerName.slice(dockerName.indexOf('/') + 1) : dockerName
  const last = lastPart(path)
  const rules: readonly ((text: string) => boolean)[] = [
    text => text === dockerName || text === path,
    text => text.endsWith(`/${path}`),
    text => lastPart(text) === last,
  ]
  return rules.map(rule => texts.filter(rule)).find(found => found.length > 0) ?? []
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
