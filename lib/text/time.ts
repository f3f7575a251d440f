import { optional } from '../object.ts'

/** Returns a time as documents for scripts have it, in ISO 8601: `2026-11-22T21:24:21.000Z`. */
export function isoText(ms: number): string {
  return new Date(ms).toISOString()
}

/**
 * Returns `{[name]: time}` in ISO 8601, or an empty object without a time, to be spread into an object with an optional
 * field.
 */
export function optionalTime<K extends string>(
  name: K,
  ms: number | undefined,
): { readonly [name in K]?: string } {
  return optional(name, ms === undefined ? undefined : isoText(ms))
}

/** Returns a time of day in UTC, to the second: `2026-11-22 21:24:21`. */
export function timeText(ms: number): string {
  return isoText(ms).replace('T', ' ').slice(0, 19)
}

/** Returns a time of day, in minutes since midnight, as clocks show it: `02:00`. */
export function clockText(minutes: number): string {
  const digits = (value: number) => String(value).padStart(2, '0')
  return `${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`
}

/** Returns how long something took: `350 ms`, `12.4 s`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Returns a span as a configuration would have it, without its smaller parts: `15m`, `1h`, `2d`. */
export function spanText(ms: number): string {
  for (const [unit, size] of units) if (ms >= size) return `${Math.floor(ms / size)}${unit}`
  return '0s'
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** Returns a limit or an interval as it was set, in seconds: `30 s`, `1.5 s`. */
export function secondsText(ms: number): string {
  return `${ms / 1000} s`
}
