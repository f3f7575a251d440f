import type { Image } from '../state/container.ts'
import { isReserved, type Labels } from '../state/labels.ts'
import type { Answer, Client } from './client.ts'
import { imageOf } from './container-config.ts'
import { refused } from './refusal.ts'

/**
 * Blank labels for all that an image brings along and that are ours to set: a container bears what its image says unless
 * it is told otherwise. Fails with `image-not-found` where the engine does not have the image.
 */
export async function blanks(
  client: Client,
  container: string,
  image: Image,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const found = await reservedLabels(client, imageOf(image), signal)
  if (!found.ok) throw refused(client.site, container, found)
  return Object.fromEntries(found.body.map(name => [name, '']))
}

/**
 * The names of the labels of an image that are ours to set. It is asked once for each, as what a digest or an id means
 * never changes.
 */
export async function reservedLabels(
  client: Client,
  image: string,
  signal: AbortSignal,
): Promise<Answer<readonly string[]>> {
  const known = client.reservedLabels.get(image)
  if (known !== undefined) return { ok: true, body: known }
  const answer = await client.call<Inspected>({ method: 'GET', path: `/images/${image}/json` }, signal)
  if (!answer.ok) return answer
  const names = Object.keys(answer.body.Config?.Labels ?? {}).filter(isReserved)
  if (/(^|@)sha256:/.test(image)) client.reservedLabels.set(image, names)
  return { ok: true, body: names }
}

/** What `GET /images/{name}/json` says, as far as it is used. */
type Inspected = { readonly Config?: { readonly Labels?: Labels } | null }
