/**
 * The one place that makes timers. Node.js takes a wait of 25 days or more for one of a millisecond; here it is as long
 * as it says. All waits are in milliseconds.
 */

/** What a timer of Node.js can wait for: just under 25 days. */
export const longestTimerMs: number = 2 ** 31 - 1

export type Timer = {
  /** Nothing happens any more. */
  cancel(): void
  /** It begins to wait anew. */
  again(): void
  /** It keeps the process from ending no longer. */
  unref(): void
}

/** Does something once, after a while. */
export function later(ms: number, act: () => void): Timer {
  let isRefed = true
  let timer = arm(ms)

  function arm(leftMs: number): NodeJS.Timeout {
    const stepMs = Math.min(leftMs, longestTimerMs)
    const armed = setTimeout(() => {
      if (leftMs > stepMs) timer = arm(leftMs - stepMs)
      else act()
    }, stepMs)
    return isRefed ? armed : armed.unref()
  }

  return {
    cancel: () => clearTimeout(timer),
    again: () => {
      clearTimeout(timer)
      timer = arm(ms)
    },
    unref: () => {
      isRefed = false
      timer.unref()
    },
  }
}

/** Does something again and again, for the first time after a while. */
export function every(ms: number, act: () => void): Timer {
  const timer = later(ms, () => {
    timer.again()
    act()
  })
  return timer
}

/** Does nothing for a while; rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = later(ms, () => {
    signal?.removeEventListener('abort', stop)
    resolve()
  })
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  return promise

  function stop(): void {
    timer.cancel()
    reject(signal?.reason)
  }
}

/** Aborts after a while, and keeps no process from ending. No limit is longer than a timer can wait. */
export function timeout(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(ms, longestTimerMs))
}
