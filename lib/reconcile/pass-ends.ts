import type { Loop } from './loop.ts'
import type { PassResult } from './pass-result.ts'

/** Waits for the ends of a loop's passes, which are counted from 1. */
export type PassEnds = {
  /** Returns how many passes have ended. */
  count(): number
  tell(result: PassResult): void
  /** Returns the result of the pass with that number, once it has ended; undefined if that was too long ago. */
  result(number: number, signal: AbortSignal): Promise<PassResult | undefined>
}

/** How many results are remembered, for callers that ask a little late. */
const remembered = 16

/** Creates the count for one loop. */
export function createPassEnds(): PassEnds {
  const results = new Map<number, PassResult>()
  let waiting: readonly { readonly number: number; readonly wake: () => void }[] = []
  let count = 0
  return {
    count: () => count,
    tell(result) {
      count += 1
      results.set(count, result)
      results.delete(count - remembered)
      const due = waiting.filter(({ number }) => number <= count)
      waiting = waiting.filter(({ number }) => number > count)
      for (const { wake } of due) wake()
    },
    async result(number, signal) {
      if (number > count)
        await new Promise<void>((resolve, reject) => {
          const stop = () => {
            waiting = waiting.filter(one => one !== waiter)
            reject(signal.reason)
          }
          const wake = () => {
            signal.removeEventListener('abort', stop)
            resolve()
          }
          const waiter = { number, wake }
          waiting = [...waiting, waiter]
          if (signal.aborted) stop()
          else signal.addEventListener('abort', stop, { once: true })
        })
      return results.get(number)
    },
  }
}

/** Asks for a pass, and returns the number of the first one that begins after this. */
export function requestPass(loop: Loop, ends: PassEnds): number {
  const isRunning = loop.state().running !== undefined
  loop.request('command')
  return ends.count() + (isRunning ? 2 : 1)
}
