import { Failure } from '../../errors.ts'
import { parseDuration } from '../../spec/grammar/duration.ts'
import { isoText } from '../../text/time.ts'

/**
 * Reads a time as a duration before or after now, or as a date as ISO 8601 writes it; in milliseconds. One that lies
 * ahead is not over (G14). Fails with `wrong-usage`.
 */
export function parseTime(text: string, nowMs: number, direction: 'back' | 'ahead'): number {
  const timeMs = timeIn(text, nowMs, direction)
  if (Number.isNaN(timeMs))
    throw new Failure(
      'wrong-usage',
      `"${text}" is neither a duration such as 2h nor a date such as 2026-01-31`,
    )
  if (direction === 'ahead' && timeMs <= nowMs)
    throw new Failure(
      'wrong-usage',
      `"${text}" is over already: it is ${isoText(timeMs)}, and now is ${isoText(nowMs)}`,
    )
  return timeMs
}

function timeIn(text: string, nowMs: number, direction: 'back' | 'ahead'): number {
  const duration = parseDuration(text)
  if (duration.ok) return direction === 'back' ? nowMs - duration.value : nowMs + duration.value
  const day = isoDate.exec(text)?.[1]
  return day !== undefined && isDay(day) ? Date.parse(text) : Number.NaN
}

/** `Date.parse` makes a date of nearly everything that has a number in it. Engines write nine digits of a second. */
const isoDate = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/** `Date.parse` takes the thirtieth of February for the second of March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && isoText(ms).startsWith(day)
}

/** Says how long ago something was, in one unit. A time that lies ahead is shown as such. */
export function agoText(ms: number): string {
  if (ms < -1_000) return `${spanText(-ms)} from now by the clock of this machine, which was put back`
  return `${spanText(ms)} ago`
}

function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 2 * 3_600) return `${Math.round(seconds / 60)} min`
  if (seconds < 2 * 86_400) return `${Math.round(seconds / 3_600)} h`
  return `${Math.round(seconds / 86_400)} days`
}
