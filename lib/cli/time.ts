import { Failure } from '../errors.ts'
import { parseDuration } from '../spec/grammar/duration.ts'

/** A point in time, in milliseconds: a duration before or after now, or a date. */
export function parseTime(text: string, nowMs: number, direction: 'back' | 'ahead'): number {
  const duration = parseDuration(text)
  if (duration.ok) return direction === 'back' ? nowMs - duration.value : nowMs + duration.value
  const date = Date.parse(text)
  if (!Number.isNaN(date)) return date
  throw new Failure('wrong-usage', `"${text}" is neither a duration such as 2h nor a date such as 2026-01-31`)
}
