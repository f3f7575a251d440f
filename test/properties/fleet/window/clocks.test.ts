import { expect } from 'chai'
import fc from 'fast-check'
import { closesMs, windowAt } from '../../../../lib/fleet/window/window.ts'
import { type Window, type Windows, weekdays } from '../../../../lib/state/fleet/window.ts'

const minuteMs = 60_000
const dayMinutes = 24 * 60

/** Weeks in which one of these zones changes its clocks, and one in which none does. */
const middles = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-06-10',
  '2026-10-04',
  '2026-10-25',
  '2026-11-01',
]
const zones = [
  'Europe/Stockholm',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/St_Johns',
  'UTC',
]

/** Days before and after such a day that are looked at; windows are looked for some days before. */
const spanDays = 6
const leadDays = 9

const minutesOf = (date: string) => Date.parse(date) / minuteMs

/** What the clocks of a zone show, by the instant, both in minutes since 1970. They change at quarters of an hour. */
function wallAt(zone: string): (minute: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const known = new Map<number, number>()
  return minute => {
    const quarter = Math.floor(minute / 15) * 15
    const offset =
      known.get(quarter) ??
      (() => {
        const [day, month, year, hour, min] = format
          .format(quarter * minuteMs)
          .split(/\D+/)
          .map(Number)
        return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, min) / minuteMs - quarter
      })()
    known.set(quarter, offset)
    return minute + offset
  }
}

const walls = new Map(zones.map(zone => [zone, wallAt(zone)]))

/**
 * The minutes at which a window is open, found by looking at the clocks every minute. Times that they show for the
 * second time are passed over, and for those that they skip the old time is counted on.
 */
function openMinutes(
  { days, startMinutes, zone, durationMs }: Window,
  from: number,
  until: number,
): Set<number> {
  const open = new Set<number>()
  const shown = walls.get(zone)
  if (shown === undefined) throw new Error(zone)
  let latest = shown(from - leadDays * dayMinutes - 1)
  for (let minute = from - leadDays * dayMinutes; minute < until; minute += 1) {
    const before = latest
    for (let wall = before + 1; wall <= shown(minute); wall += 1) {
      latest = wall
      const day = Math.floor(wall / dayMinutes)
      const weekday = weekdays[(day + 3) % 7]
      const isStart = wall - day * dayMinutes === startMinutes
      if (!isStart || (days.length > 0 && !days.some(one => one === weekday))) continue
      // Only what the clocks skip is counted on from the old time; the first time after it is shown.
      const opens = wall === shown(minute) ? minute : minute + (wall - before - 1)
      for (let passed = 0; passed < durationMs / minuteMs; passed += 1) open.add(opens + passed)
    }
  }
  return open
}

const windowIn: fc.Arbitrary<Window> = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...weekdays), { maxLength: 7 }),
  // Most of them in the hours in which clocks change.
  startMinutes: fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: dayMinutes - 1 })),
  zone: fc.constantFrom(...zones),
  durationMs: fc
    .oneof(fc.integer({ min: 1, max: 240 }), fc.integer({ min: 1, max: 7 * dayMinutes }))
    .map(minutes => minutes * minuteMs),
})

describe('upgrade windows and clocks', () => {
  it('A62 D8 open and close as the clocks of their zones say, looked at every minute', () => {
    const party = fc.array(windowIn, { maxLength: 3 })
    fc.assert(
      fc.property(
        fc.constantFrom(...middles),
        party,
        party,
        fc.array(fc.nat(2 * spanDays * dayMinutes - 1), { minLength: 3, maxLength: 3 }),
        (middle, provider, owner, offsets) => {
          const windows: Windows = { provider, owner }
          const from = minutesOf(middle) - spanDays * dayMinutes
          const until = minutesOf(middle) + spanDays * dayMinutes
          const sets = [provider, owner].map(one => one.map(window => openMinutes(window, from, until)))
          const isOpen = (minute: number) =>
            sets.every(party => party.length === 0 || party.some(open => open.has(minute)))
          const all = Array.from({ length: until - from }, (_, index) => from + index)
          const changes = all.filter(minute => minute > from && isOpen(minute) !== isOpen(minute - 1))
          const looked = [...offsets.map(offset => from + offset), ...changes.slice(0, 6)]
          for (const minute of looked) {
            const state = windowAt(windows, minute * minuteMs)
            expect(state.isOpen, new Date(minute * minuteMs).toISOString()).to.equal(isOpen(minute))
            const change = changes.find(other => other > minute) ?? until
            const told = state.isOpen ? closesMs(windows, minute * minuteMs) : state.opens?.ms
            const expected = change === until ? undefined : change * minuteMs
            if (expected !== undefined) expect(told).to.equal(expected)
            else if (told !== undefined) expect(told).to.be.least(until * minuteMs)
          }
        },
      ),
      { numRuns: 60 },
    )
  })
})
