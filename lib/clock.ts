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
