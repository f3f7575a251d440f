/** The days of a week, as configurations name them. */
export const weekdays = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

export type Weekday = (typeof weekdays)[number]

/** A span of time in which applications may be upgraded on a site, again and again (A60). */
export type Window = {
  /** The days on which it opens; empty: every day. */
  readonly days: readonly Weekday[]
  /** When it opens, in minutes since midnight by the clocks of the zone. */
  readonly startMinutes: number
  /** A time zone that the runtime knows: `Europe/Stockholm`, `UTC`. */
  readonly zone: string
  /** How long it is open, in time that passes, whatever the clocks show meanwhile. At most a week. */
  readonly durationMs: number
}

/**
 * The windows of a site, by who set them. Of one party any open window is enough; if both have windows, both have to be
 * open; a party without windows allows every time (A61, D8).
 */
export type Windows = { readonly provider: readonly Window[]; readonly owner: readonly Window[] }
