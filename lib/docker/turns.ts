import pLimit from 'p-limit'

/** Lets what concerns one thing happen one after the other, and what concerns others side by side. */
export type Turns = <T>(thing: string, action: () => Promise<T>) => Promise<T>

export function turns(): Turns {
  const queues = new Map<string, ReturnType<typeof pLimit>>()
  return async (thing, action) => {
    const queue = queues.get(thing) ?? pLimit(1)
    queues.set(thing, queue)
    try {
      return await queue(action)
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(thing)
    }
  }
}
