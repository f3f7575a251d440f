/**
 * The only place that creates timers. Node.js turns a wait of 25 days or more into one of a millisecond; here it lasts
 * as long as it says. All waits are in milliseconds.
 */

/** The longest wait of a timer in Node.js: just under 25 days. */
const longestTimerMs: number = 2 ** 31 - 1

export type Timer = {
  /** Cancels the timer. */
  cancel(): void
  /** Starts the wait again. */
  again(): void
  /** Lets the process end in spite of the timer. */
  unref(): void
}

/** Calls `act` once, after a while. */
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

/** Calls `act` again and again, for the first time after a while. */
export function every(ms: number, act: () => void): Timer {
  const timer = later(ms, () => {
    timer.again()
    act()
  })
  return timer
}

/** Waits for a while. Rejects with the signal's reason if it aborts. */
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

/** Returns a signal that aborts with a `TimeoutError` after a while, and does not keep the process from ending. */
export function timeout(ms: number): AbortSignal {
  const controller = new AbortController()
  later(ms, () => controller.abort(new DOMException('The time is over', 'TimeoutError'))).unref()
  return controller.signal
}
