import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until the check answers something other than undefined or false, and returns that.
 * Looks every 20 ms at first, then less and less often, up to every 100 ms: what takes seconds is done sooner where
 * nobody asks about it all the time. Where it may take longer than a minute, that is up to every 250 ms. Throws after
 * `limitMs`, saying what it waited for.
 */
export async function waitUntil<T>(
  what: string,
  check: () => Promise<T | undefined | false> | T | undefined | false,
  limitMs = 30_000,
): Promise<T> {
  const deadlineMs = performance.now() + limitMs
  const longestMs = limitMs > 60_000 ? 250 : 100
  for (let pauseMs = 20; ; pauseMs = Math.min(longestMs, pauseMs * 1.1)) {
    const answer = await check()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > deadlineMs) throw new Error(`${what}: not within ${limitMs} ms`)
    await pause(pauseMs)
  }
}
