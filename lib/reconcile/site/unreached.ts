import type { ChangeResult } from '../../apply/apply.ts'
import type { Failure } from '../../errors.ts'
import type { Seen } from './observe.ts'

/**
 * Returns why one of several sites was not reached, or was lost in the middle of its changes; undefined if it answered.
 * That a site is offline is no error of what is deployed (A34). It is one if the site is the only one, because then
 * nothing of the environment can be looked at.
 */
export function whyUnreached(
  seen: Seen,
  results: readonly ChangeResult[],
  isOnlySite: boolean,
): Failure | undefined {
  if (isOnlySite) return undefined
  const failure = 'failure' in seen ? seen.failure : results.map(failureOf).find(isSilence)
  return isSilence(failure) ? failure : undefined
}

/** Whether a change failed because its site no longer answered. */
export function wasLost(done: ChangeResult): boolean {
  return isSilence(failureOf(done))
}

function failureOf(done: ChangeResult): Failure | undefined {
  return done.result === 'failed' ? done.failure : undefined
}

function isSilence(failure: Failure | undefined): boolean {
  return failure?.code === 'engine-unreachable'
}
