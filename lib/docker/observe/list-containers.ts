import { optional } from '../../object.ts'
import type { Labels } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { areShown, givenLabels, type LabelledContainer } from '../container/inspect/given-labels.ts'
import type { ListedContainer } from './live-container.ts'

/** What is listed, by the engine's own filters. */
export type ListQuery = {
  /** Set if containers that do not run are listed too. */
  readonly all?: 1
  readonly filters?: Readonly<Record<string, readonly string[]>>
}

/** What every entry has. */
type Entry = Pick<ListedContainer, 'Id' | 'Image' | 'ImageID' | 'Labels'>

/**
 * Returns the engine's list of containers, the newest first, with the labels that each was given: those of its image
 * prove nothing (0089). Fails if the engine refuses it.
 */
export async function listContainers<One extends Entry = ListedContainer>(
  client: Client,
  query: ListQuery,
  signal: AbortSignal,
): Promise<readonly One[]> {
  const answer = await client.call<readonly One[]>({ method: 'GET', path: '/containers/json', query }, signal)
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  const wanted = query.filters?.['label'] ?? []
  const all: One[] = []
  // One after the other: containers of one image need one answer. Nearly all show it themselves, so nothing is awaited.
  for (const one of answer.body) {
    const made = labelledIn(one)
    const given = areShown(made) ? one.Labels : await givenLabels(client, made, signal)
    if (given === one.Labels) all.push(one)
    else if (hasLabels(given, wanted)) all.push({ ...one, Labels: given })
  }
  return all
}

/** The engine's filter goes by all labels, wherever a container has them from. */
function hasLabels(labels: Labels, wanted: readonly string[]): boolean {
  return wanted.every(one => {
    const [name = '', ...value] = one.split('=')
    return value.length === 0 ? labels?.[name] !== undefined : labels?.[name] === value.join('=')
  })
}

function labelledIn({ Id: container, Labels: labels, Image: imageName, ImageID }: Entry): LabelledContainer {
  return { container, labels, imageName, ...optional('imageId', ImageID) }
}
