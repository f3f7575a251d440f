import type { Image } from '../../state/application/container.ts'
import { isReserved, type Labels } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import type { EngineAnswer } from '../api/dial.ts'
import { refused } from '../api/refusal.ts'
import { imageOf } from './container-config.ts'

/**
 * Returns empty labels for all reserved labels of an image, because a container inherits the labels of its image
 * otherwise. Fails with `image-not-found` if the engine does not have the image.
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
 * Returns the names of the reserved labels of an image. Each image is asked for once, because the content of a digest
 * or an id never changes.
 */
export async function reservedLabels(
  client: Client,
  image: string,
  signal: AbortSignal,
): Promise<EngineAnswer<readonly string[]>> {
  const known = client.reservedLabels.get(image)
  if (known !== undefined) return { ok: true, body: known }
  const answer = await client.call<Inspected>({ method: 'GET', path: `/images/${image}/json` }, signal)
  if (!answer.ok) return answer
  const names = Object.keys(answer.body.Config?.Labels ?? {}).filter(isReserved)
  if (/(^|@)sha256:/.test(image)) client.reservedLabels.set(image, names)
  return { ok: true, body: names }
}

/** The part of `GET /images/{name}/json` that is used. */
type Inspected = { readonly Config?: { readonly Labels?: Labels } | null }
