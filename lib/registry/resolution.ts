import { type ErrorCode, Failure, type Problem } from '../errors.ts'
import type { Pin } from '../state/container.ts'

/**
 * What became of an image: a pin and perhaps a warning about it, or a problem that blocks every application
 * that uses it. Problems have no position here: the place in the manifest is unknown.
 */
export type Resolution =
  | { readonly kind: 'settled'; readonly pin: Pin; readonly warning?: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem }

/** The image is this digest. */
export function pinned(digest: string, warning?: Problem): Resolution {
  const pin: Pin = { state: 'pinned', digest }
  return warning === undefined ? { kind: 'settled', pin } : { kind: 'settled', pin, warning }
}

/** Nobody said what the tag means. */
export function unknown(failure: Failure): Resolution {
  const { code, message, hint } = failure
  return {
    kind: 'settled',
    pin: { state: 'unknown', reason: message },
    warning: { code, message, hint },
  }
}

/** There is no such image to run. */
export function refused({ code, message, hint }: Failure): Resolution {
  return { kind: 'refused', problem: { code, message, hint } }
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
export function registryFailure(error: unknown): Failure {
  if (error instanceof Failure && [...silences, ...refusals].includes(error.code)) return error
  throw error
}

/** Whether the failure says nothing about the image. */
export function isSilent({ code }: Failure): boolean {
  return silences.includes(code)
}

/** Whether the registry answered, and gives no such image. */
export function isWithheld({ code }: Failure): boolean {
  return code === 'image-not-found' || code === 'registry-denied'
}
