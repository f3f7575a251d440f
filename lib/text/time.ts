/** Returns a time of day in UTC, to the second: `2026-11-22 21:24:21`. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 19)
}

/** Returns how long something took: `350 ms`, `12.4 s`. */
export function durationText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Returns a limit or an interval as it was set, in seconds: `30 s`, `1.5 s`. */
export function secondsText(ms: number): string {
  return `${ms / 1000} s`
}
