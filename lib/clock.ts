/**
 * The time of day, in ms since 1970. It may be put forward or back at any moment: it is for what is written down or
 * shown, and for what has to outlive the process. An age or a deadline goes by `steadyMs`.
 */
export function timeOfDayMs(): number {
  return Date.now()
}

/** The time that passes, in whole ms since some moment in the life of this process. Nobody can put it forward or back. */
export function steadyMs(): number {
  return Math.floor(performance.now())
}
