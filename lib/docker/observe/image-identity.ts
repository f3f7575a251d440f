import { isDigest, pinnedReference, readReference } from '../../state/image/reference.ts'
import type { Client } from '../api/client.ts'
import { localImage } from '../images.ts'
import type { Listing } from './look-closer.ts'

/**
 * Returns the same containers, and marks those with another image than their label names. Newer engines report the
 * digest. Otherwise the image of the digest is looked up, once for each digest. If the engine no longer has it, nothing
 * is known.
 */
export async function withImages(
  client: Client,
  seen: readonly Listing[],
  signal: AbortSignal,
): Promise<readonly Listing[]> {
  if (!seen.some(isUntold)) return seen
  return Promise.all(
    seen.map(async one => {
      if (!isUntold(one)) return one
      const { live, listed } = one
      const id = await idOf(client, live.image, live.digest, signal)
      const isOther = id !== undefined && id !== listed.ImageID
      return isOther ? { listed, live: { ...live, isFromOtherImage: true as const } } : one
    }),
  )
}

/** Whether the list does not tell the digest of the image that a container was made from. */
function isUntold({ live, listed }: Listing): boolean {
  return live.digest !== '' && live.engineDigest === undefined && listed.ImageID !== undefined
}

async function idOf(
  client: Client,
  image: string,
  digest: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!readReference(image).ok || !isDigest(digest)) return undefined
  const reference = pinnedReference(image, digest)
  const known = client.imageIds.get(reference)
  if (known !== undefined) return known
  const found = await localImage(client, reference, signal)
  if (found !== undefined) client.imageIds.set(reference, found.id)
  return found?.id
}
