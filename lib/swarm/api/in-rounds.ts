import { steadyMs } from '../../clock.ts'
import { sleep } from '../../wait/timer.ts'

/** Between two rounds, in ms. */
const [shortestPauseMs, longestPauseMs] = [50, 500]

/**
 * Returns a function that asks for one thing, in rounds that ask for all that is waited for at the time. A round begins
 * after everything that it answers was asked, so no answer is older than its question. One round runs at a time, and the
 * pause after it is four times as long as it took, up to half a second: however many wait, looking takes a manager a
 * fifth of its time at most. A round that fails fails for all that wait for it.
 * @param find returns what there is of these
 */
export function inRounds<T>(
  find: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  type Answer = ReturnType<typeof Promise.withResolvers<T | undefined>>
  let waiting = new Map<string, Answer>()
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    await sleep(0)
    while (waiting.size > 0) {
      const round = waiting
      waiting = new Map()
      const beganMs = steadyMs()
      try {
        const found = await find([...round.keys()])
        for (const [key, { resolve }] of round) resolve(found.get(key))
      } catch (error) {
        for (const { reject } of round.values()) reject(error)
      }
      await sleep(Math.min(longestPauseMs, Math.max(shortestPauseMs, 4 * (steadyMs() - beganMs))))
    }
    isRunning = false
  }

  return key => {
    const there = waiting.get(key) ?? Promise.withResolvers<T | undefined>()
    waiting.set(key, there)
    if (!isRunning) void run()
    return there.promise
  }
}
