import type { Skipped } from '../../../engine.ts'
import { pinnedReference } from '../../../state/image/reference.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'

/**
 * Removes an image by its digest, with the layers that no other image shares. It is no error if it is gone. If a
 * container or another image uses it, it is left alone, and the result says who uses it (G10).
 */
export async function removeImage(
  client: Client,
  { reference, digest }: { readonly reference: string; readonly digest: string },
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const image = pinnedReference(reference, digest)
  const answer = await client.call({ method: 'DELETE', path: `/images/${image}`, limitMs: patientMs }, signal)
  if (answer.ok || answer.status === 404) return undefined
  if (answer.status !== 409) throw refused(client.site, image, answer)
  return { skipped: `left alone: ${answer.message}` }
}
