import pLimit from 'p-limit'

/** Runs few actions that concern one thing at a time, and others at the same time. */
export type Turns = <T>(thing: string, action: () => Promise<T>) => Promise<T>

/** Creates queues for things, of which each has one action at a time, or as many as `concurrency` says. */
export function turns(concurrency = 1): Turns {
  const queues = new Map<string, ReturnType<typeof pLimit>>()
  return async (thing, action) => {
    const queue = queues.get(thing) ?? pLimit(concurrency)
    queues.set(thing, queue)
    try {
      return await queue(action)
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) queues.delete(thing)
    }
  }
}
