import { expect } from 'chai'
import fc from 'fast-check'
import { createCalendar, dayInUtc, instantOf } from '../../../../lib/fleet/window/zone.ts'

/** Zones that set their clocks at midnight, by half an hour, by a whole day, usually, and never. */
const zones = [
  ...['Africa/Cairo', 'America/Santiago', 'America/Havana', 'Asia/Beirut', 'America/Sao_Paulo'],
  ...['Australia/Lord_Howe', 'Pacific/Apia', 'Europe/Stockholm', 'America/New_York', 'Asia/Tokyo'],
]

/** The days around those on which Samoa skipped one, Cairo skips a midnight, and Lord Howe shows half an hour twice. */
const known = [
  '2011-12-30',
  '2026-04-24',
  '2026-10-30',
  '2026-04-05',
  '2026-10-04',
  '2026-03-29',
  '2026-11-01',
]

describe('a calendar that remembers when days begin', () => {
  it('A61 A62 tells the same times as one that reckons each of them, in every zone', () => {
    const day = fc.oneof(
      fc.integer({ min: 0, max: 25_000 }),
      fc
        .tuple(fc.constantFrom(...known), fc.integer({ min: -2, max: 2 }))
        .map(([date, more]) => dayInUtc(Date.parse(date)) + more),
    )
    const calendar = createCalendar()
    fc.assert(
      fc.property(
        day,
        fc.integer({ min: 0, max: 1_439 }),
        fc.constantFrom(...zones),
        (day, minutes, zone) => {
          expect(calendar(day, minutes, zone)).to.equal(instantOf(day, minutes, zone))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
