import type { Weekday, Window, Windows } from '../../../state/fleet/window.ts'
import { clockText } from '../../../text/time.ts'

/** An upgrade window as `sites` tells it in JSON, with the keys of the configuration. */
export type WindowDocument = {
  /** Absent: every day. */
  readonly daysOfWeek?: readonly Weekday[]
  /** By the clocks of the time zone, such as `02:00`. */
  readonly startTime: string
  readonly timezone: string
  readonly duration: string
}

/** The upgrade windows of a site, its own and those of its profiles together, by who set them (A61). */
export type WindowsDocument = {
  readonly provider: readonly WindowDocument[]
  readonly owner: readonly WindowDocument[]
}

/** Returns the upgrade windows of a site as they are told. */
export function windowsDocument({ provider, owner }: Windows): WindowsDocument {
  return { provider: provider.map(windowDocument), owner: owner.map(windowDocument) }
}

function windowDocument({ days, startMinutes, zone, durationMs }: Window): WindowDocument {
  return {
    ...(days.length === 0 ? {} : { daysOfWeek: days }),
    startTime: clockText(startMinutes),
    timezone: zone,
    duration: lengthText(durationMs),
  }
}

/** Returns a time as a configuration would have it, with all its parts: `1h30m`. */
function lengthText(ms: number): string {
  const parts = units.map(([unit, size, most]) => [Math.floor(ms / size) % most, unit] as const)
  return parts.flatMap(([number, unit]) => (number === 0 ? [] : [`${number}${unit}`])).join('')
}

const units = [
  ['h', 3_600_000, Number.POSITIVE_INFINITY],
  ['m', 60_000, 60],
  ['s', 1_000, 60],
  ['ms', 1, 1_000],
] as const
