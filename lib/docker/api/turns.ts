import pLimit from 'p-limit'

/** Runs actions that concern one thing one after the other, and others at the same time. */
export type Turns = <T>(thing: string, action: () => Promise<T>) => Promise<T>

/** Creates queues for the things of one engine. */
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
