const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** By the unit in an engine's words: how long one of it is, and how much more than it says an uptime may be. */
const units: Readonly<Record<string, { readonly ms: number; readonly moreMs: number }>> = {
  second: { ms: second, moreMs: second },
  minute: { ms: minute, moreMs: minute },
  // Hours are rounded, and everything else is cut off.
  hour: { ms: hour, moreMs: hour / 2 },
  day: { ms: day, moreMs: day },
  week: { ms: 7 * day, moreMs: 7 * day },
  month: { ms: 30 * day, moreMs: 30 * day },
  year: { ms: 365 * day, moreMs: 365 * day },
}

/**
 * Returns the longest time, in ms, for which a container may have run without a break, by the words of an engine's list:
 * `Up 5 minutes (healthy)` is less than six minutes. Undefined if they do not tell.
 */
export function longestUptimeMs(status: string): number | undefined {
  const said = /^Up (?:(\d{1,6})|About an?|Less than a) (second|minute|hour|day|week|month|year)s?\b/.exec(
    status,
  )
  const unit = units[said?.[2] ?? '']
  if (said === null || unit === undefined) return undefined
  if (status.startsWith('Up Less')) return unit.ms
  return Number(said[1] ?? 1) * unit.ms + unit.moreMs
}
