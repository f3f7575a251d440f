import type { Image } from '../../../state/application/container/container.ts'
import { isReserved, type Labels } from '../../../state/labels.ts'
import type { Client, ImageFacts } from '../../api/client.ts'
import type { EngineAnswer } from '../../api/connection/dial.ts'
import { refused } from '../../api/refusal.ts'
import { type Inherited, imageOf } from './container-config.ts'

/** Returns what a container is given. Fails with `image-not-found` if the engine does not have the image. */
export async function inherited(
  client: Client,
  container: string,
  image: Image,
  signal: AbortSignal,
): Promise<Inherited> {
  const found = await imageFacts(client, imageOf(image), signal)
  if (!found.ok) throw refused(client.site, container, found)
  const { reserved, variables } = found.body
  return { labels: blanked(reserved), variables }
}

/** Returns the labels that hide those of an image. */
export function blanked(reserved: ImageFacts['reserved']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(reserved).map(name => [name, '']))
}

/** Returns the facts of an image. Each image is asked for once, because the content of a digest or an id never changes. */
export async function imageFacts(
  client: Client,
  image: string,
  signal: AbortSignal,
): Promise<EngineAnswer<ImageFacts>> {
  const known = client.imageFacts.get(image)
  if (known !== undefined) return { ok: true, body: known }
  const answer = await client.call<Inspected>({ method: 'GET', path: `/images/${image}/json` }, signal)
  if (!answer.ok) return answer
  const { Id, Config } = answer.body
  const { Labels, Env } = Config ?? {}
  const reserved = Object.fromEntries(Object.entries(Labels ?? {}).filter(([name]) => isReserved(name)))
  const facts = { reserved, variables: variableNames(Env ?? []) }
  client.imageFacts.set(Id, facts)
  if (/(^|@)sha256:/.test(image)) client.imageFacts.set(image, facts)
  return { ok: true, body: facts }
}

function variableNames(pairs: readonly string[]): readonly string[] {
  const names = pairs.map(pair => pair.replace(/=.*/s, ''))
  return [...new Set(names)].filter(name => name !== '').sort()
}

/** The part of `GET /images/{name}/json` that is used. */
type Inspected = {
  readonly Id: string
  readonly Config?: { readonly Labels?: Labels; readonly Env?: readonly string[] | null } | null
}
