import { lateAnswer } from '../errors/late-answer.ts'
import { linkedAbort } from '../wait/linked-abort.ts'
import { later } from '../wait/timer.ts'

/** How long a command waits for what an engine says at once if it says anything, in ms. */
const limitMs = 8_000

/**
 * Asks the engine of a site within that time. Fails with `engine-unreachable` if it takes longer: nobody stopped the
 * command.
 */
export async function askEngine<T>(
  site: string,
  ask: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  using limit = linkedAbort(signal)
  const late = lateAnswer(site, limitMs)
  const timer = later(limitMs, () => limit.abort(late))
  try {
    return await ask(limit.signal)
  } catch (error) {
    throw limit.signal.reason === late ? late : error
  } finally {
    timer.cancel()
  }
}
