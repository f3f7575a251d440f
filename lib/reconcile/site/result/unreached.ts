import type { ChangeResult } from '../../../apply/apply.ts'
import type { ErrorCode } from '../../../errors/catalogue.ts'
import { isSilence } from '../../../errors/silence.ts'
import type { Failure } from '../../../errors.ts'
import type { Seen } from '../observe.ts'

/**
 * Returns why one of several sites was not reached, or was lost in the middle of its changes; undefined if it answered.
 * That Tallyman does not get to an engine says nothing about what is deployed (A34). It is an error if the site is the
 * only one, because then nothing of the environment can be looked at.
 */
export function whyUnreached(
  seen: Seen,
  results: readonly ChangeResult[],
  isOnlySite: boolean,
): Failure | undefined {
  if (isOnlySite) return undefined
  if ('failure' in seen) return noWay.includes(seen.failure.code) ? seen.failure : undefined
  return results.map(failureOf).find(isSilence)
}

/** Nobody answers at the endpoint, or whoever answers is not trusted, or does not trust us. */
const noWay: readonly ErrorCode[] = [
  'engine-unreachable',
  'engine-denied',
  'engine-key-unusable',
  'engine-host-unknown',
  'engine-host-changed',
]

/** Whether a change failed because its site no longer answered. */
export function wasLost(done: ChangeResult): boolean {
  return isSilence(failureOf(done))
}

function failureOf(done: ChangeResult): Failure | undefined {
  return done.result === 'failed' ? done.failure : undefined
}
