import { pinnedReference } from '../../state/reference.ts'
import type { Client } from '../client.ts'
import { refused } from '../refusal.ts'

/**
 * Removes an image by its digest, and what no other image shares with it. One that is gone is fine; one that a
 * container or another image uses is left alone, and `note` is told by whom (G10).
 */
export async function removeImage(
  client: Client,
  { reference, digest }: { readonly reference: string; readonly digest: string },
  signal: AbortSignal,
  note: (words: string) => void,
): Promise<void> {
  const image = pinnedReference(reference, digest)
  const answer = await client.call({ method: 'DELETE', path: `/images/${image}`, limitMs: 120_000 }, signal)
  if (answer.ok || answer.status === 404) return
  if (answer.status !== 409) throw refused(client.site, image, answer)
  note(`left alone: ${answer.message}`)
}
