import type { Loop } from './loop.ts'
import type { PassResult } from './pass-result.ts'

/** Waits for the ends of an environment's passes, which are counted from 1. */
export type PassEnds = {
  /** Returns how many passes have ended. */
  count(): number
  tell(result: PassResult): void
  /** Returns the results after that many, oldest first, as far as they are remembered. */
  after(count: number): readonly PassResult[]
  /** Waits until something is so, which is asked after the end of each pass. */
  until(isSo: () => boolean, signal: AbortSignal): Promise<void>
}

/** How many results are remembered, for callers that ask a little late. */
const remembered = 64

/** Creates the count for the loops of one environment. */
export function createPassEnds(): PassEnds {
  let results: readonly PassResult[] = []
  let count = 0
  const waiting = new Set<() => void>()
  return {
    count: () => count,
    tell(result) {
      count += 1
      results = [...results.slice(1 - remembered), result]
      for (const look of [...waiting]) look()
    },
    after: number => (number >= count ? [] : results.slice(number - count)),
    until: (isSo, signal) =>
      new Promise((resolve, reject) => {
        if (isSo()) return resolve()
        if (signal.aborted) return reject(signal.reason)
        const done = (settle: () => void) => {
          waiting.delete(look)
          signal.removeEventListener('abort', stop)
          settle()
        }
        const look = () => {
          if (isSo()) done(resolve)
        }
        const stop = () => done(() => reject(signal.reason))
        waiting.add(look)
        signal.addEventListener('abort', stop, { once: true })
      }),
  }
}

/** Looks at the repository again, and waits until every site has dealt with what is wanted then. */
export async function lookAgain(loop: Loop, ends: PassEnds, signal: AbortSignal): Promise<void> {
  const look = loop.request('command')
  await ends.until(() => loop.isSettled(look), signal)
}
