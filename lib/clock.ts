import { uptime } from 'node:os'

/**
 * Returns the time of day, in ms since 1970. It may be set forward or back at any moment, so it is only for what is
 * recorded or shown, and for what outlives the process. Use `steadyMs` for an age or a deadline.
 */
export function timeOfDayMs(): number {
  return Date.now()
}

/** Returns the steady clock, in whole ms since some moment in the life of this process. Nobody can set it. */
export function steadyMs(): number {
  return Math.floor(performance.now())
}

/**
 * Returns the time since the machine started, in whole ms. Nobody can set it, and unlike the steady clock it also counts
 * while the machine sleeps. Use it for what others outside of this machine may have done in the meantime.
 */
export function sinceBootMs(): number {
  return Math.floor(uptime() * 1000)
}
