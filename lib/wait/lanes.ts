import pLimit from 'p-limit'

/** Runs few actions that concern one thing at a time, and those of different things at the same time. */
export type Lanes = <T>(thing: string, action: () => Promise<T>) => Promise<T>

/** Creates lanes for things, in each of which there is one action at a time, or as many as `width` says. */
export function createLanes(width = 1): Lanes {
  const lanes = new Map<string, ReturnType<typeof pLimit>>()
  return async (thing, action) => {
    const lane = lanes.get(thing) ?? pLimit(width)
    lanes.set(thing, lane)
    try {
      return await lane(action)
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) lanes.delete(thing)
    }
  }
}
