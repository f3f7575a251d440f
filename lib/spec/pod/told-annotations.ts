import type { NamedText } from '../../state/application/pod/pod.ts'
import type { Spot } from '../spot.ts'
import { parseImageId } from './grammar/image-id.ts'
import { imageVolumesAnnotation } from './image/image-volumes.ts'
import { defaultRequests, requestsAnnotation } from './isolators/default-requests.ts'
import type { PodIsolators } from './isolators/of-pod.ts'
import { outcomesAnnotation, outcomesOf, outcomesText } from './isolators/outcomes.ts'
import type { PodManifest } from './pod.gen.ts'

/** The annotation of an app whose `image.id` in the template names something that no registry has (D14). */
export const archiveAnnotation = 'tallyman/image-id'

/** The annotations that Tallyman adds to the manifest of what runs. */
export const toldAnnotations: readonly string[] = [
  outcomesAnnotation,
  archiveAnnotation,
  requestsAnnotation,
  imageVolumesAnnotation,
]

/**
 * Notes a fault for each annotation of these that is not what Tallyman says itself. A manifest of what runs is a
 * manifest, too (C4), so what is true may stand there. What is true of the volumes of an image is found out elsewhere.
 */
export function faultTold(
  { annotations = [], apps }: PodManifest,
  isolators: PodIsolators,
  root: Spot,
): void {
  const isolated = apps.map(({ name }, index) => ({ name, isolators: isolators.apps[index] ?? [] }))
  const outcomes = outcomesOf(isolators.pod, isolated)
  faultUntrue(annotations, { [outcomesAnnotation]: outcomesText(outcomes) }, root.at('annotations'))
  apps.forEach(({ name, image: { id }, annotations: own = [] }, index) => {
    const archive = own.find(one => one.name === archiveAnnotation)?.value
    const said = {
      [outcomesAnnotation]: outcomesText(outcomes, name),
      [requestsAnnotation]: defaultRequests(isolators.apps[index] ?? []),
      [archiveAnnotation]: archive !== undefined && mayStandFor(archive, id) ? archive : undefined,
      [imageVolumesAnnotation]: own.find(one => one.name === imageVolumesAnnotation)?.value,
    }
    faultUntrue(own, said, root.at('apps', index, 'annotations'))
  })
}

function faultUntrue(
  annotations: readonly NamedText[],
  said: Readonly<Record<string, string | undefined>>,
  spot: Spot,
): void {
  annotations.forEach(({ name, value }, index) => {
    if (toldAnnotations.includes(name) && said[name] !== value)
      spot.at(index).fault(`is "${name}", which Tallyman says itself; leave it out`)
  })
}

/** Whether an image with that id may run in the place of an archive. Nobody knows any more which archive it was. */
function mayStandFor(archive: string, id: string | undefined): boolean {
  const kindOf = (text: string) => {
    const parsed = parseImageId(text)
    return parsed.ok ? parsed.value.kind : undefined
  }
  return kindOf(archive) === 'archive' && (archive === id || (id !== undefined && kindOf(id) === 'digest'))
}
