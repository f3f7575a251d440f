import { steadyMs } from '../clock.ts'
import { Failure } from '../errors.ts'
import { sleep } from '../timer.ts'

/**
 * Looks until there is something to see: again after 50 ms at first, then less and less often, up to half a second.
 * Undefined when `limitMs` have passed; fails with `interrupted` when the signal aborts. `what` names it there.
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

/** Does nothing for a while; fails with `interrupted` when the signal aborts. */
export async function pause(what: string, ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(cause => {
    throw new Failure('interrupted', `${what}: stopped before it was done`, { cause })
  })
}
