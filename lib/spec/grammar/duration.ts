import { sumOf } from '../../numbers.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/**
 * Parses a duration as Compose and the applications document write it (`1m30s`, `1.5s`, `500ms`, `2d`, `0`). Returns
 * milliseconds, rounded. It is 0, or from 1 ms to 365 days (A32, G24).
 */
export function parseDuration(text: string): Parsed<number> {
  if (text === '0') return parsed(0)
  if (text.length > longest || !durationPattern.test(text))
    return malformed(`"${text.slice(0, longest)}" is no duration; write for example 90s, 1m30s or 500ms`)
  const parts = [...text.matchAll(partPattern)]
  const total = sumOf(parts, ([, amount, unit = '']) => Number(amount) * (unitMs[unit] ?? 0))
  // It would be rounded to 0, which has another meaning in most places.
  if (total > 0 && total < 1) return malformed(`"${text}" is shorter than 1ms`)
  return total > limitMs ? malformed(`"${text}" is longer than 365 days`) : parsed(Math.round(total))
}

const longest = 40
const part = String.raw`(\d+(?:\.\d*)?|\.\d+)(d|h|ms|m|s|us|\u00b5s|ns)`
const durationPattern = new RegExp(`^(?:${part})+$`)
const partPattern = new RegExp(part, 'g')
const limitMs = 365 * 24 * 60 * 60 * 1000

const unitMs: Readonly<Record<string, number>> = {
  d: 24 * 60 * 60 * 1000,
  h: 60 * 60 * 1000,
  m: 60 * 1000,
  s: 1000,
  ms: 1,
  us: 1 / 1000,
  µs: 1 / 1000,
  ns: 1 / 1_000_000,
}
