import { Failure } from '../errors.ts'
import type { Change } from '../plan/change/change.ts'
import { secondsText } from '../text/time.ts'
import { later } from '../timer.ts'

/** The deadlines of changes. Disposing of them ends the wait for each; otherwise it keeps what a change needed for hours. */
export type Deadlines = Disposable & {
  /** Returns a signal that aborts with `rollout-timeout` at the deadline of a change, counted from its first beginning (X12). */
  of(change: Change): AbortSignal
}

/** `elapsedMs`: how long a change has lasted already. */
export function createDeadlines(elapsedMs: (change: Change) => number): Deadlines {
  const signals = new Map<Change, AbortSignal>()
  const timers = new DisposableStack()
  const begin = (change: Change): AbortSignal => {
    const controller = new AbortController()
    const { deadlineMs } = change
    if (deadlineMs !== undefined) {
      const leftMs = Math.max(0, deadlineMs - elapsedMs(change))
      const timer = later(leftMs, () => controller.abort(lateness(change, deadlineMs)))
      timer.unref()
      timers.defer(() => timer.cancel())
    }
    return controller.signal
  }
  return {
    of(change) {
      const signal = signals.get(change) ?? begin(change)
      signals.set(change, signal)
      return signal
    },
    [Symbol.dispose]: () => timers.dispose(),
  }
}

function lateness({ site, application, service }: Change, deadlineMs: number): Failure {
  return new Failure(
    'rollout-timeout',
    `${site}: ${application}/${service}: the rollout did not finish within ${secondsText(deadlineMs)}`,
  )
}
