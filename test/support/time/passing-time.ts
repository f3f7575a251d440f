import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

/**
 * Does something that waits, without waiting: on a clock that goes on by a step as soon as nothing is left to do until
 * then. Returns what comes of it, and how much time passed until that.
 */
export async function inPassingTime<T>(
  work: (passedMs: () => number) => Promise<T>,
  stepMs = 500,
): Promise<{ readonly end: T; readonly passedMs: number }> {
  let [passedMs, isOver] = [0, false]
  const settled = async () => {
    for (let turns = 0; turns < 20 && !isOver; turns += 1) await turn()
  }
  mock.method(performance, 'now', () => passedMs)
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const ended = work(() => passedMs).finally(() => {
      isOver = true
    })
    // It is awaited below, also where it fails at once.
    ended.catch(() => undefined)
    await settled()
    while (!isOver) {
      passedMs += stepMs
      mock.timers.tick(stepMs)
      await settled()
    }
    return { end: await ended, passedMs }
  } finally {
    mock.timers.reset()
    mock.restoreAll()
  }
}
