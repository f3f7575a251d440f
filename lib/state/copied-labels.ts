import { isReserved, type Labels, label, labelOf } from './labels.ts'

/**
 * What a container is made of: the first that it has counts. What was made before there were ids in labels has a
 * fingerprint that contains the id.
 */
const contentLabels = [label.digest, label.imageId, label.fingerprint] as const

/**
 * Returns the labels that a container was given, without those of Tallyman that it only has from its image, such as one
 * that `docker commit` made of a container. What Tallyman creates says in its labels of which image it is made, and no
 * image contains its own digest or id: where the image says the same, the container was not created by Tallyman (G10).
 */
export function withoutInherited(labels: Labels, ofImage: Labels): Labels {
  const content = contentLabels.find(name => labelOf(labels, name) !== undefined)
  if (content !== undefined && labelOf(labels, content) !== labelOf(ofImage, content)) return labels
  const given = ([name, value]: readonly [string, string]) => !isReserved(name) || ofImage?.[name] !== value
  return Object.fromEntries(Object.entries(labels ?? {}).filter(given))
}

/** Returns the labels without any of Tallyman: nothing is known of the image that they may be from. */
export function withoutReserved(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).filter(([name]) => !isReserved(name)))
}

/** Whether a container was made from the image that its labels name, so that they cannot be from that image. */
export function isMadeAsLabelled(labels: Labels, image: NamedImage): boolean {
  const digest = labelOf(labels, label.digest)
  return digest === undefined
    ? image.id !== undefined && image.id === labelOf(labels, label.imageId)
    : image.name.endsWith(`@${digest}`)
}

/** The image of a container: by which name it was created from it, and by the engine's own id. */
export type NamedImage = { readonly name: string; readonly id?: string }
