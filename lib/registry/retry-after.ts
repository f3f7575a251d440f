const longestMs = 24 * 60 * 60 * 1000

/**
 * A `Retry-After` header in ms, seconds or a date, at most a day; undefined when it says nothing usable. A date counts
 * from the `Date` of the same answer, which is by the same clock.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestMs)
}
