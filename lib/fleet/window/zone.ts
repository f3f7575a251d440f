import { Temporal } from 'temporal-polyfill'
import { type Weekday, weekdays } from '../../state/fleet/window.ts'

/** A day of the calendar, as the number of days since 1970-01-01. */
export type Day = number

export const dayMs: number = 24 * 60 * 60 * 1000

/** Returns the day that it is in UTC. Everywhere else it is this one, the one before or the one after. */
export function dayInUtc(ms: number): Day {
  return Math.floor(ms / dayMs)
}

/** Returns which day of the week a day is, as its number in `weekdays`. The first of January 1970 was a Thursday. */
export function weekdayOf(day: Day): Weekday {
  return weekdays.at((day + 3) % 7) ?? 'Monday'
}

/** Tells when the clocks of a zone show a time on a day (see `instantOf`). */
export type Calendar = typeof instantOf

/**
 * Creates a calendar that remembers when days begin, for a search through many of them: on a day of 24 hours, all other
 * times follow from that.
 */
export function createCalendar(): Calendar {
  const zones = new Map<string, Map<Day, number>>()
  const beginOf = (day: Day, zone: string): number => {
    const days = zones.get(zone) ?? new Map<Day, number>()
    zones.set(zone, days)
    const beginsMs = days.get(day) ?? instantOf(day, 0, zone)
    days.set(day, beginsMs)
    return beginsMs
  }
  return (day, minutes, zone) => {
    const beginsMs = beginOf(day, zone)
    const isWhole = beginOf(day + 1, zone) - beginsMs === dayMs
    return isWhole ? beginsMs + minutes * minuteMs : instantOf(day, minutes, zone)
  }
}

const minuteMs = 60 * 1000

/**
 * Returns when the clocks of a zone show a time on a day, in ms since 1970. A time that they skip counts as if they had
 * not been put forward yet. Of a time that they show twice, the first counts. Calendars do the same (RFC 5545).
 */
export function instantOf(day: Day, minutes: number, zone: string): number {
  return epoch.add({ days: day }).toZonedDateTime({ timeZone: zone, plainTime: midnight.add({ minutes }) })
    .epochMilliseconds
}

const epoch = new Temporal.PlainDate(1970, 1, 1)
const midnight = new Temporal.PlainTime()

/** Returns what calendar and clocks of a zone show: `2026-11-28 02:00 Europe/Stockholm`. */
export function localText(ms: number, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  return `${local.toPlainDate()} ${local.toPlainTime().toString({ smallestUnit: 'minute' })} ${zone}`
}
