import { later } from '../../wait/timer.ts'

/** Waits of a loop, which end when something is asked of it. */
export type Wake<T> = {
  /** Ends the wait; without one, the next wait ends at once. */
  ask(what: T): void
  /** Whether anything was asked since the last beginning. */
  isAsked(): boolean
  /** Returns what was asked since the last beginning, and forgets it. */
  begin(): T | undefined
  /** Returns what was asked; `otherwise` once the time is over, or the loop is told to stop. */
  next(delayMs: number | undefined, otherwise: T): Promise<T>
}

/**
 * Creates the waits of one loop.
 * @param merge what is asked when two ask before the loop gets to it
 */
export function createWake<T>(signal: AbortSignal, merge: (before: T, now: T) => T): Wake<T> {
  let pending: { readonly what: T } | undefined
  let wake: ((what: T) => void) | undefined
  return {
    ask(what) {
      pending = { what: pending === undefined ? what : merge(pending.what, what) }
      wake?.(pending.what)
    },
    isAsked: () => pending !== undefined,
    begin() {
      const asked = pending?.what
      pending = undefined
      return asked
    },
    async next(delayMs, otherwise) {
      if (signal.aborted) return otherwise
      const { promise, resolve } = Promise.withResolvers<T>()
      const end = () => resolve(otherwise)
      const timer = delayMs === undefined ? undefined : later(delayMs, end)
      signal.addEventListener('abort', end, { once: true })
      wake = resolve
      if (pending !== undefined) resolve(pending.what)
      const what = await promise
      timer?.cancel()
      signal.removeEventListener('abort', end)
      wake = undefined
      return what
    },
  }
}
