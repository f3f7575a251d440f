/** Waits until it is one's turn. */
export type Turn = () => Promise<void>

/**
 * Creates turns for pieces of work that keep the processor busy. At most one of them begins in each turn of the event
 * loop, first come, first served, so that requests, events and answers never wait for more than one.
 */
export function createTurns(): Turn {
  const waiting: (() => void)[] = []
  const next = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return () =>
    new Promise(resolve => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(next)
    })
}
