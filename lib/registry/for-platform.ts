import { Failure } from '../errors.ts'
import { formatReference, type Reference } from '../state/image/reference.ts'
import type { PlatformManifest } from './api/platforms.ts'
import type { AskedEngine, Registries } from './ask.ts'
import {
  digestMismatch,
  failureOfImage,
  pinned,
  type Resolution,
  refusedImage,
  untold,
} from './resolution.ts'
import { untoldTag } from './untold-tag.ts'

/** An image for one platform. */
export type ForPlatform = {
  readonly reference: Reference
  readonly platform: string
  /** The digest that the manifest demands, of an index or of the platform itself. */
  readonly expected?: string | undefined
}

/**
 * Resolves an image for one platform. The pin is the digest of that platform's own manifest, which means the same on
 * every engine. If the registry does not answer, nothing is known, even if the engine has an image under the demanded
 * digest: under that of an index it has one platform, whichever that is. Fails only if the engine itself does.
 */
export async function resolveForPlatform(
  image: ForPlatform,
  { engine, registries }: { readonly engine: AskedEngine; readonly registries: Registries },
  signal: AbortSignal,
): Promise<Resolution> {
  const { reference, platform, expected } = image
  try {
    return await findForPlatform(image, registries, signal)
  } catch (error) {
    const failure = failureOfImage(error)
    if (expected !== undefined) return untold(failure)
    const local = await engine.localImage(formatReference(reference), signal)
    return untoldTag(reference, local?.platform === platform ? local : undefined, failure)
  }
}

/** Finds the platform's manifest in what a reference leads to. Fails with `registry-…` or `image-not-found`. */
export async function findForPlatform(
  { reference, platform, expected }: ForPlatform,
  registries: Registries,
  signal: AbortSignal,
): Promise<Resolution> {
  const { host, repository, tag } = reference
  const asked =
    tag === undefined && expected !== undefined ? { host, repository, digest: expected } : reference
  const { digest } = await registries.resolve(asked, signal)
  const manifests = await registries.manifests(reference, digest, signal)
  const isWhole = expected === undefined || expected === digest
  const demanded = isWhole ? manifests : manifests.filter(one => one.digest === expected)
  if (!isWhole && demanded.length === 0) return digestMismatch(reference, expected, digest)
  const own = demanded.find(one => one.platform === platform)
  if (own !== undefined) return pinned(own.digest)
  return { ...refusedImage(notFor(platform, asked, demanded)), unfit: 'platform' }
}

function notFor(platform: string, reference: Reference, there: readonly PlatformManifest[]): Failure {
  const known = [...new Set(there.flatMap(one => one.platform ?? []))].sort()
  const what = known.length === 0 ? 'and does not say what it is for' : `but for ${known.join(', ')}`
  return new Failure('image-not-found', `${formatReference(reference)}: is not for ${platform}, ${what}`, {
    hint: 'Push the image for that platform, or correct "platform" of the container (in a pod: the labels "os" and "arch" of its image).',
  })
}
