import type { ImageCode } from '../engine.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import { Failure, type Problem } from '../errors.ts'
import type { Image, Pin } from '../state/application/container/container.ts'
import { formatReference, type Reference } from '../state/image/reference.ts'

/**
 * The result for an image: a pin, perhaps with a warning, or a problem that blocks every application that uses it.
 * Problems have no position, because the place in the manifest is unknown here. What does not fit is named instead.
 */
export type Resolution =
  | { readonly kind: 'settled'; readonly pin: Pin; readonly warning?: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem; readonly unfit?: 'digest' | 'platform' }

/** The image has this digest. */
export function pinned(digest: string, warning?: Problem): Resolution {
  const pin: Pin = { state: 'pinned', digest }
  return warning === undefined ? { kind: 'settled', pin } : { kind: 'settled', pin, warning }
}

/** No registry answered what the tag means. */
function unknown(failure: Failure): Resolution {
  const { code, message, hint } = failure
  return {
    kind: 'settled',
    pin: { state: 'unknown', reason: message },
    warning: { code, message, hint },
  }
}

type Refused = Extract<Resolution, { kind: 'refused' }>

/** There is no image to run. */
export function refusedImage({ code, message, hint }: Failure): Refused {
  return { kind: 'refused', problem: { code, message, hint } }
}

/** The registry did not say what the image means: nothing is known, or there is none to run. */
export function untold(failure: Failure): Resolution {
  return isSilent(failure) ? unknown(failure) : refusedImage(failure)
}

/** Refuses an image whose tag leads to something else than the manifest demands. */
export function digestMismatch(reference: Reference, expected: string, digest: string): Resolution {
  const message = `${formatReference(reference)}: ${expected} is required, but the registry has ${digest}`
  return { kind: 'refused', problem: { code: 'digest-mismatch', message }, unfit: 'digest' }
}

/**
 * Returns the result for an image of the configuration: what is wrong with it names the section, because the repository
 * does not mention that image. Absent: the repository names it, and the result is as it was.
 */
export function ofSection(section: Image['configuredIn'], resolution: Resolution): Resolution {
  if (section === undefined) return resolution
  const named = <P extends Problem>(problem: P): P => ({
    ...problem,
    message: `${problem.message}; "${section}: {image: …}" in tallyman.yaml names this image`,
    hint: `Make the image available where its registry is asked, or name another one with "${section}: {image: …}" in tallyman.yaml.`,
  })
  if (resolution.kind === 'refused') return { ...resolution, problem: named(resolution.problem) }
  const { pin, warning } = resolution
  if (warning === undefined) return resolution
  const told = named(warning)
  return {
    kind: 'settled',
    pin: pin.state === 'unknown' ? { ...pin, reason: told.message } : pin,
    warning: told,
  }
}

/**
 * Whether a failure says nothing about the image, which may still exist. Any other one is an answer, or an error of the
 * configuration, that leaves nothing to run.
 */
const silent: Readonly<Record<ImageCode, boolean>> = {
  'registry-unreachable': true,
  'registry-rate-limited': true,
  'engine-refused': true,
  'registry-denied': false,
  'registry-credentials-unreadable': false,
  'image-not-found': false,
  'image-invalid': false,
  'engine-unsupported': false,
}

/** Returns the failure if it concerns this image alone. Throws any other error again. */
export function failureOfImage(error: unknown): Failure {
  if (error instanceof Failure && Object.hasOwn(silent, error.code)) return error
  throw error
}

/** Whether the failure says nothing about the image. */
export function isSilent({ code }: Failure): boolean {
  const codes: Readonly<Partial<Record<ErrorCode, boolean>>> = silent
  return codes[code] === true
}

/** Whether the registry answered that it does not give out such an image. */
export function isWithheld({ code }: Failure): boolean {
  return code === 'image-not-found' || code === 'registry-denied'
}
