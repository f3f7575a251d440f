import { isMadeAsLabelled, withoutInherited, withoutReserved } from '../../../state/copied-labels.ts'
import { type Labels, label, labelOf } from '../../../state/labels.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { imageFacts } from '../config/inherited.ts'

/** The part of a container's labels and image that every answer of an engine has, however it is spelled there. */
export type LabelledContainer = {
  readonly container: string
  readonly labels: Labels
  /** The name of the image, or its id if that name no longer means it. */
  readonly imageName: string
  readonly imageId?: string
}

/**
 * Returns the labels that a container was given, without those that it only has from its image (0089). The engine is
 * asked only where the container does not show that it is made of the image that its labels name, and once for each
 * image. If that image is gone, the container has to be one that was created from it by its digest.
 */
export async function givenLabels(
  client: Client,
  made: LabelledContainer,
  signal: AbortSignal,
): Promise<Labels> {
  if (areShown(made)) return made.labels
  const { container, labels, imageName, imageId } = made
  if (imageId !== undefined) {
    const found = await imageFacts(client, imageId, signal)
    if (found.ok) return withoutInherited(labels, found.body.reserved)
    if (found.status !== 404) throw refused(client.site, imageName, found)
  }
  const asked = await client.call<Named>({ method: 'GET', path: `/containers/${container}/json` }, signal)
  if (!asked.ok && asked.status !== 404) throw refused(client.site, container, asked)
  const named = asked.ok ? asked.body.Config.Image : ''
  return isShown({ ...made, imageName: named }) ? labels : withoutReserved(labels)
}

/** Whether a container shows itself which labels it was given: it has none of Tallyman, or is made as they say. */
export function areShown(made: LabelledContainer): boolean {
  return labelOf(made.labels, label.environment) === undefined || isShown(made)
}

function isShown({ labels, imageName: name, imageId: id }: LabelledContainer): boolean {
  return isMadeAsLabelled(labels, { name, ...(id === undefined ? {} : { id }) })
}

/** A list names the image by its id once its name means none. The container keeps the name. */
type Named = { readonly Config: { readonly Image: string } }
