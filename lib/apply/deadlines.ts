import { Failure } from '../errors.ts'
import type { Change } from '../plan/change/change.ts'
import { secondsText } from '../text/time.ts'
import { later, type Timer } from '../wait/timer.ts'

/** The deadlines of changes. Disposing of them ends the wait for each; otherwise it keeps what a change needed for hours. */
export type Deadlines = Disposable & {
  /** Returns a signal that aborts with `rollout-timeout` at the deadline of a change, counted from its first beginning (X12). */
  of(change: Change): AbortSignal
  /** Stops the time of a change, which waits for what is no part of it. Returns what lets it go on. */
  pause(change: Change): () => void
}

type Deadline = { readonly signal: AbortSignal; pause(): () => void }

/**
 * `elapsedMs`: how long a change has lasted already.
 * @param steadyMs the steady clock
 */
export function createDeadlines(elapsedMs: (change: Change) => number, steadyMs: () => number): Deadlines {
  const known = new Map<Change, Deadline>()
  const timers = new DisposableStack()
  const begin = (change: Change): Deadline => {
    const controller = new AbortController()
    const { deadlineMs } = change
    if (deadlineMs === undefined) return { signal: controller.signal, pause: () => () => {} }
    let leftMs = Math.max(0, deadlineMs - elapsedMs(change))
    let [timer, sinceMs]: [Timer | undefined, number] = [undefined, 0]
    const goOn = () => {
      sinceMs = steadyMs()
      timer = later(leftMs, () => controller.abort(lateness(change, deadlineMs)))
      timer.unref()
    }
    goOn()
    timers.defer(() => timer?.cancel())
    const pause = () => {
      timer?.cancel()
      leftMs = Math.max(0, leftMs - (steadyMs() - sinceMs))
      return goOn
    }
    return { signal: controller.signal, pause }
  }
  const deadlineOf = (change: Change): Deadline => {
    const deadline = known.get(change) ?? begin(change)
    known.set(change, deadline)
    return deadline
  }
  return {
    of: change => deadlineOf(change).signal,
    pause: change => deadlineOf(change).pause(),
    [Symbol.dispose]: () => timers.dispose(),
  }
}

function lateness({ site, application, service }: Change, deadlineMs: number): Failure {
  return new Failure(
    'rollout-timeout',
    `${site}: ${application}/${service}: the rollout did not finish within ${secondsText(deadlineMs)}`,
  )
}
