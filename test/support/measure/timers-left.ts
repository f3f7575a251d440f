import { createHook } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'

/** Does some work. Returns how many timers it started that have neither come to their end nor been cancelled. */
export async function timersLeft(work: () => Promise<unknown>): Promise<number> {
  // Whoever runs the test starts a timer for it right after it has begun.
  await setImmediate()
  const waiting = new Set<number>()
  const hook = createHook({
    init: (id, kind) => void (kind === 'Timeout' && waiting.add(id)),
    destroy: id => void waiting.delete(id),
  }).enable()
  try {
    await work()
    // What ends a timer is told in the next turn.
    await setImmediate()
    return waiting.size
  } finally {
    hook.disable()
  }
}
