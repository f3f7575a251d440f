import { steadyMs } from '../clock.ts'
import { Failure } from '../errors.ts'
import { sleep } from './timer.ts'

/**
 * Calls `look` until it returns something: again after 50 ms at first, then less and less often, up to half a second.
 * Undefined after `limitMs`. Fails with `interrupted` if the signal aborts; `what` names it there.
 */
export async function poll<T>(
  what: string,
  look: () => Promise<T | undefined>,
  limitMs: number,
  signal: AbortSignal,
): Promise<T | undefined> {
  const endMs = steadyMs() + limitMs
  for (let pauseMs = 50; ; pauseMs = Math.min(500, pauseMs * 1.5)) {
    const seen = await look()
    if (seen !== undefined) return seen
    const leftMs = endMs - steadyMs()
    if (leftMs <= 0) return undefined
    await pause(what, Math.min(pauseMs, leftMs), signal)
  }
}

/** Waits for a while. Fails with `interrupted` if the signal aborts. */
export async function pause(what: string, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(cause => {
    throw new Failure('interrupted', `${what}: stopped before it was done`, { cause })
  })
}
