import { setTimeout as pause } from 'node:timers/promises'
import { hangsAfterMs } from './hangs.ts'

/**
 * Waits until the check answers something other than undefined or false, and returns that.
 * Looks every 20 ms at first, then less and less often, up to every 100 ms, and every 250 ms after a minute, and rests
 * for as long as a look takes: what takes long is done sooner where nobody asks about it all the time. Throws after
 * `limitMs`, saying what it waited for; tests have no limits of their own, a benchmark may.
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs = hangsAfterMs,
): Promise<T> {
  const beganMs = performance.now()
  for (let pauseMs = 20; ; ) {
    const askedMs = performance.now()
    const answer = await check()
    if (answer !== undefined && answer !== false) return answer
    const nowMs = performance.now()
    if (nowMs - beganMs > limitMs) throw new Error(`${what}: not within ${limitMs} ms`)
    pauseMs = Math.min(nowMs - beganMs > 60_000 ? 250 : 100, pauseMs * 1.1)
    await pause(Math.max(pauseMs, nowMs - askedMs))
  }
}
