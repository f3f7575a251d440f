import type { Client } from '../../docker/api/client.ts'
import { distribution, localImage } from '../../docker/images.ts'
import { pinnedReference } from '../../state/image/reference.ts'

/**
 * Makes sure that nodes can be told to pull an image. If the manager has it, no registry is asked (G21). Fails with
 * `image-not-found`, `registry-denied`, `registry-rate-limited` or `registry-unreachable`.
 */
export async function findImage(
  client: Client,
  { reference, digest }: { readonly reference: string; readonly digest: string },
  signal: AbortSignal,
): Promise<void> {
  const image = pinnedReference(reference, digest)
  if ((await localImage(client, image, signal)) === undefined) await distribution(client, image, signal)
}
