import type { Image, Pin } from '../state/application/container/container.ts'
import {
  familiarReference,
  formatReference,
  isDigest,
  parseReference,
  type Reference,
} from '../state/image/reference.ts'
import { ofConfiguration, type ResolutionStore } from '../state/image/resolutions.ts'
import type { AskedEngine, Registries } from './ask.ts'
import { resolveForPlatform } from './for-platform.ts'
import {
  digestMismatch,
  failureOfImage,
  isSilent,
  ofSection,
  pinned,
  type Resolution,
  untold,
} from './resolution.ts'
import { untoldTag } from './untold-tag.ts'

export type ImageContext = {
  readonly engine: AskedEngine
  readonly registries: Registries
  readonly resolutions: ResolutionStore
  readonly commit: string
}

/**
 * Resolves one image by D5. If it was verified before, no registry is asked. A demanded digest has to be what the tag
 * leads to, or a platform's manifest in it. If the registry does not answer, or the engine does not say what it has of the
 * image, the meaning of the tag stays unknown. Of two that resolve one commit at the same time, both get what was told
 * first (X9). Fails only if the engine itself does.
 */
export async function resolveImage(
  image: Image,
  context: ImageContext,
  signal: AbortSignal,
): Promise<Resolution> {
  const { reference, platform, expectedDigest: expected, configuredIn } = image
  const { resolutions } = context
  const commit = configuredIn === undefined ? context.commit : ofConfiguration
  // No reference holds a blank.
  const asked = platform === undefined ? reference : `${reference} ${platform}`
  const pair = { reference: asked, commit, ...(expected === undefined ? {} : { expected }) }
  const known = resolutions.find(pair)
  if (isDigest(known)) return pinned(known)
  const resolution = ofSection(
    configuredIn,
    await resolveAnew(image, context, signal).catch(error => untold(failureOfImage(error))),
  )
  if (!isVerified(resolution)) return resolution
  resolutions.remember({ ...pair, digest: resolution.pin.digest })
  const first = resolutions.find(pair)
  return isDigest(first) ? pinned(first) : resolution
}

async function resolveAnew(
  { reference: text, platform, expectedDigest: expected }: Image,
  context: ImageContext,
  signal: AbortSignal,
): Promise<Resolution> {
  const reference = parseReference(text)
  if (platform !== undefined) return resolveForPlatform({ reference, platform, expected }, context, signal)
  return expected === undefined
    ? await resolveTag(reference, context, signal)
    : await verifyDigest(reference, expected, context, signal)
}

async function verifyDigest(
  reference: Reference,
  expected: string,
  context: ImageContext,
  signal: AbortSignal,
): Promise<Resolution> {
  const { engine } = context
  if (await hasVerified(engine, reference, expected, signal)) return pinned(expected)
  try {
    return await compareWithRegistry(reference, expected, context.registries, signal)
  } catch (error) {
    const failure = failureOfImage(error)
    if (!isSilent(failure)) return untold(failure)
    const present = await engine.localImage(formatReference(byDigest(reference, expected)), signal)
    return present === undefined
      ? untold(failure)
      : pinned(expected, {
          code: 'tag-unverified',
          message: `${formatReference(reference)}: ${expected} is on the engine and runs, but it is not known whether the tag still points to it: ${failure.message}`,
        })
  }
}

/** Whether the engine pulled exactly this tag with exactly this digest. */
async function hasVerified(
  engine: AskedEngine,
  reference: Reference,
  expected: string,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = reference.tag === undefined ? byDigest(reference, expected) : reference
  const local = await engine.localImage(formatReference(asked), signal)
  if (local === undefined) return false
  const tagged = reference.tag === undefined || names(local.repoTags, reference)
  return tagged && names(local.repoDigests, byDigest(reference, expected))
}

async function compareWithRegistry(
  reference: Reference,
  expected: string,
  registries: Registries,
  signal: AbortSignal,
): Promise<Resolution> {
  const asked = reference.tag === undefined ? byDigest(reference, expected) : reference
  const { digest, mediaType } = await registries.resolve(asked, signal)
  if (digest === expected) return pinned(expected)
  const manifests = isSingle(mediaType) ? [] : await registries.manifests(reference, digest, signal)
  if (manifests.some(one => one.digest === expected)) return pinned(expected)
  return digestMismatch(reference, expected, digest)
}

async function resolveTag(
  reference: Reference,
  { engine, registries }: ImageContext,
  signal: AbortSignal,
): Promise<Resolution> {
  try {
    const { digest } = await registries.resolve(reference, signal)
    return pinned(digest)
  } catch (error) {
    const failure = failureOfImage(error)
    const local = await engine.localImage(formatReference(reference), signal)
    return untoldTag(reference, local, failure)
  }
}

type Verified = { readonly kind: 'settled'; readonly pin: Extract<Pin, { state: 'pinned' }> }

/** Whether an image was pinned without a warning, so that the result can be remembered. */
function isVerified(resolution: Resolution): resolution is Verified {
  return (
    resolution.kind === 'settled' && resolution.pin.state === 'pinned' && resolution.warning === undefined
  )
}

const singleTypes: readonly string[] = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v1+prettyjws',
]

/** Whether a manifest certainly contains no others. */
function isSingle(mediaType: string): boolean {
  return singleTypes.includes(mediaType)
}

function byDigest({ host, repository }: Reference, digest: string): Reference {
  return { host, repository, digest }
}

/** Whether a list of the engine's names contains this one, in either spelling. */
function names(list: readonly string[], reference: Reference): boolean {
  return list.includes(familiarReference(reference)) || list.includes(formatReference(reference))
}
