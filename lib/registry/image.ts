import type { Engine, LocalImage } from '../engine.ts'
import { type ErrorCode, Failure, type Problem } from '../errors.ts'
import type { Image, Pin } from '../state/container.ts'
import { familiarReference, formatReference, parseReference, type Reference } from '../state/reference.ts'
import type { ResolutionStore } from '../state/resolutions.ts'
import type { Registries } from './ask.ts'

export type ImageContext = {
  readonly engine: Engine
  readonly registries: Registries
  readonly resolutions: ResolutionStore
  readonly commit: string
}

/**
 * What became of an image: a pin and perhaps a warning about it, or a problem that blocks every application
 * that uses it. Problems have no position here: the place in the manifest is unknown.
 */
export type Resolution =
  | { readonly kind: 'settled'; readonly pin: Pin; readonly warning?: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem }

/**
 * Resolves one image by D5: what was verified before asks no registry, a demanded digest must be what the tag
 * leads to or a platform's manifest in it, and no answer is no answer. Fails only when the engine itself does.
 */
export async function resolveImage(
  image: Image,
  context: ImageContext,
  signal: AbortSignal,
): Promise<Resolution> {
  const { reference, expectedDigest: expected, isConfigured } = image
  const { resolutions } = context
  const commit = isConfigured === true ? noCommit : context.commit
  const pair = { reference, commit, ...(expected === undefined ? {} : { expected }) }
  const known = resolutions.find(pair)
  if (known !== undefined) return pinned(known)
  const resolution =
    expected === undefined
      ? await resolveTag(parseReference(reference), context, signal)
      : await verifyDigest(parseReference(reference), expected, context, signal)
  if (isVerified(resolution)) resolutions.remember({ ...pair, digest: resolution.pin.digest })
  return resolution
}

/** Stands for every commit. */
const noCommit = 'configuration'

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
    const failure = registryFailure(error)
    if (!isSilent(failure)) return refused(failure)
    const present = await engine.localImage(formatReference(byDigest(reference, expected)), signal)
    return present === undefined
      ? unknown(failure)
      : pinned(expected, {
          code: 'tag-unverified',
          message: `${formatReference(reference)}: ${expected} is on the engine and runs; whether the tag still means it is not known: ${failure.message}`,
        })
  }
}

/** Whether the engine pulled this very tag and it was this very digest. */
async function hasVerified(
  engine: Engine,
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
  const platforms = isSingle(mediaType) ? [] : await registries.platforms(reference, digest, signal)
  if (platforms.includes(expected)) return pinned(expected)
  return {
    kind: 'refused',
    problem: {
      code: 'digest-mismatch',
      message: `${formatReference(reference)}: the manifest demands ${expected}, the registry says ${digest}`,
    },
  }
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
    const failure = registryFailure(error)
    const local = await engine.localImage(formatReference(reference), signal)
    if (local !== undefined && !hasDigest(local, reference)) return unverified(reference, local)
    return isSilent(failure) ? unknown(failure) : refused(failure)
  }
}

function pinned(digest: string, warning?: Problem): Resolution {
  const pin: Pin = { state: 'pinned', digest }
  return warning === undefined ? { kind: 'settled', pin } : { kind: 'settled', pin, warning }
}

function unverified(reference: Reference, local: LocalImage): Resolution {
  return {
    kind: 'settled',
    pin: { state: 'unverified', imageId: local.id },
    warning: {
      code: 'image-unverified',
      message: `${formatReference(reference)}: the image is on the engine only and has no repository digest; it cannot be verified`,
    },
  }
}

function unknown(failure: Failure): Resolution {
  const { code, message, hint } = failure
  return {
    kind: 'settled',
    pin: { state: 'unknown', reason: message },
    warning: { code, message, hint },
  }
}

function refused({ code, message, hint }: Failure): Resolution {
  return { kind: 'refused', problem: { code, message, hint } }
}

type Verified = { readonly kind: 'settled'; readonly pin: Extract<Pin, { state: 'pinned' }> }

/** Pinned without a reservation: worth remembering. */
function isVerified(resolution: Resolution): resolution is Verified {
  return (
    resolution.kind === 'settled' && resolution.pin.state === 'pinned' && resolution.warning === undefined
  )
}

/** No answer about the image, which may still be there. */
const silences: readonly ErrorCode[] = ['registry-unreachable', 'registry-rate-limited', 'pull-failed']

/** An answer, or a fault of ours, that leaves nothing to run. */
const refusals: readonly ErrorCode[] = [
  'image-not-found',
  'image-invalid',
  'registry-denied',
  'registry-credentials-unreadable',
]

/** The failure that concerns this image alone; anything else is passed on. */
function registryFailure(error: unknown): Failure {
  if (error instanceof Failure && [...silences, ...refusals].includes(error.code)) return error
  throw error
}

function isSilent({ code }: Failure): boolean {
  return silences.includes(code)
}

const singleTypes: readonly string[] = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v1+prettyjws',
]

/** Whether a manifest is known to hold no others. */
function isSingle(mediaType: string): boolean {
  return singleTypes.includes(mediaType)
}

function byDigest({ host, repository }: Reference, digest: string): Reference {
  return { host, repository, digest }
}

/** Whether a list of the engine's names has this one, in either spelling. */
function names(list: readonly string[], reference: Reference): boolean {
  return list.includes(familiarReference(reference)) || list.includes(formatReference(reference))
}

function hasDigest({ repoDigests }: LocalImage, { host, repository }: Reference): boolean {
  const name: Reference = { host, repository }
  const prefixes = [`${familiarReference(name)}@`, `${formatReference(name)}@`]
  return repoDigests.some(digest => prefixes.some(prefix => digest.startsWith(prefix)))
}
