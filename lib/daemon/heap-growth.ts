import { setFlagsFromString } from 'node:v8'

/** What `bin/tallyman` starts a daemon with, in percent. */
const least = 20
const most = 60

/**
 * Returns by how many percent the heap of a daemon may grow before all of it is searched for garbage: one for each
 * hundred sites, between 20 and 60. With few sites, memory is what counts. With many, so large a heap takes longer to
 * search, and garbage comes faster.
 */
export function heapGrowth(sites: number): number {
  return Math.min(most, Math.max(least, Math.floor(sites / 100)))
}

/**
 * Returns what lets the heap of this process grow as so many sites need. V8 goes by it from the next search on. With few
 * sites, it leaves it as the process was started.
 */
export function createHeapGrowth(): (sites: number) => void {
  let now = least
  return sites => {
    const percent = heapGrowth(sites)
    if (percent !== now) setFlagsFromString(`--heap-growing-percent=${percent}`)
    now = percent
  }
}
