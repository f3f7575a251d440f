const longestMs = 24 * 60 * 60 * 1000

/** A `Retry-After` header in ms, seconds or a date, at most a day; undefined when it says nothing usable. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestMs)
}
