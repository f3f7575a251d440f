import type { Clock } from './clock.ts'

/** A point in time in the engine's forms. No two moments of one engine are the same. */
export type Moment = {
  readonly ms: number
  /** `2026-01-01T12:00:00.123000001Z` */
  readonly text: string
  readonly nanoseconds: number
}

/** In place of a moment that never was. */
export const never = '0001-01-01T00:00:00Z'

/** Nanoseconds of a millisecond. A number is exact to 256 of them, so that those at its edges would be of another one. */
const [firstPart, lastPart] = [1_000, 999_000]

/** Returns a function that tells the present moment. */
export function createMoments(clock: Clock): () => Moment {
  let part = firstPart
  return () => {
    const ms = clock.nowMs()
    part = part < lastPart ? part + 1 : firstPart
    const text = `${new Date(ms).toISOString().slice(0, -1)}${String(part).padStart(6, '0')}Z`
    return { ms, text, nanoseconds: ms * 1_000_000 + part }
  }
}

/** Returns a duration in the words of the engine's lists: `Less than a second`, `5 minutes`. */
export function durationInWords(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.round(seconds / 3600)
  if (seconds < 1) return 'Less than a second'
  if (seconds === 1) return '1 second'
  if (seconds < 60) return `${seconds} seconds`
  if (minutes === 1) return 'About a minute'
  if (minutes < 60) return `${minutes} minutes`
  if (hours === 1) return 'About an hour'
  if (hours < 48) return `${hours} hours`
  if (hours < 24 * 14) return `${Math.floor(hours / 24)} days`
  if (hours < 24 * 60) return `${Math.floor(hours / 24 / 7)} weeks`
  return `${Math.floor(hours / 24 / 30)} months`
}
