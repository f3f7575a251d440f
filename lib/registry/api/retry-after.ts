const longestMs = 24 * 60 * 60 * 1000

/**
 * Reads a `Retry-After` header, in seconds or as a date, and returns ms, at most a day; undefined if it has no usable
 * value. A date is compared with the `Date` of the same answer, which comes from the same clock.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (text === undefined) return undefined
  const ms = /^\d+$/.test(text)
    ? Number(text) * 1000
    : Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestMs)
}
