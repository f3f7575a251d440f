import { steadyMs } from '../clock.ts'
import type { Holders } from './socket-holders.ts'

/** What is seen of who holds names. A look at all that is open on a machine takes long, so that one serves all names. */
export type Sights = {
  /** As of a short time ago, for what may be a little late. */
  recent(): Promise<Holders>
  /** As of a look that began after it was asked for. */
  now(): Promise<Holders>
}

/** A standby that looks every minute at ten thousand sites looks once at the machine meanwhile. */
const recentMs = 60_000

/**
 * Creates what has seen nothing yet. One look runs at a time.
 * @param look looks at the machine, and never fails
 */
export function createSights(look: () => Promise<Holders>): Sights {
  let seen: { readonly atMs: number; readonly holders: Holders } | undefined
  let looking: Promise<Holders> | undefined
  let next: Promise<Holders> | undefined
  const begin = () => {
    next = undefined
    looking = look().then(holders => {
      seen = { atMs: steadyMs(), holders }
      looking = undefined
      return holders
    })
    return looking
  }
  const now = () => {
    if (looking === undefined) return begin()
    next ??= looking.then(begin)
    return next
  }
  return {
    now,
    async recent() {
      if (seen !== undefined && steadyMs() - seen.atMs < recentMs) return seen.holders
      return looking ?? now()
    },
  }
}
