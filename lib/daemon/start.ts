import pRetry from 'p-retry'
import { type Failure, toFailure } from '../errors.ts'
import type { Log } from '../log.ts'

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/**
 * Starts something as soon as that is possible. If the reason may go away by itself, such as a full disk, waits and
 * logs it. Throws every other failure. Undefined if the signal aborted meanwhile.
 */
export async function startWhenPossible<T>(
  start: () => Promise<T>,
  log: Log,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await pRetry(start, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: firstPauseMs,
      maxTimeout: longestPauseMs,
      signal,
      shouldRetry: ({ error }) => mayPass(toFailure(error)),
      onFailedAttempt: ({ error }) => {
        const failure = toFailure(error)
        if (!mayPass(failure)) return
        const { message, code, hint } = failure
        log.warn(`cannot start yet, and will try again: ${message}`, { code, hint })
      },
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/**
 * Whether a failure may go away by itself: a disk may get room, and another process may release a file. What the
 * operator named wrongly stays wrong.
 */
export function mayPass({ code, cause }: Failure): boolean {
  switch (code) {
    case 'disk-full':
    case 'journal-busy':
      return true
    case 'journal-unusable':
      return !(cause instanceof Error && 'code' in cause && wrong.includes(String(cause.code)))
    default:
      return false
  }
}

const wrong: readonly string[] = ['EACCES', 'EPERM', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG']
