import { Failure } from '../../errors.ts'
import { parseDuration } from '../../spec/grammar/duration.ts'

/** Reads a time as a duration before or after now, or as a date; in milliseconds. Fails with `wrong-usage`. */
export function parseTime(text: string, nowMs: number, direction: 'back' | 'ahead'): number {
  const duration = parseDuration(text)
  if (duration.ok) return direction === 'back' ? nowMs - duration.value : nowMs + duration.value
  const date = Date.parse(text)
  if (!Number.isNaN(date)) return date
  throw new Failure('wrong-usage', `"${text}" is neither a duration such as 2h nor a date such as 2026-01-31`)
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
