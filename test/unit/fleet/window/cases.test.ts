import { expect } from 'chai'
import { readWindows } from '../../../../lib/config/site/windows.ts'
import { closesMs, windowAt } from '../../../../lib/fleet/window/window.ts'

type Case = {
  readonly says: string
  /** `DAYS | START | TIME ZONE | DURATION`, as they are written in the configuration. */
  readonly provider: readonly string[]
  readonly owner?: readonly string[]
  /** The time zone of the site. */
  readonly site?: string
  /** By a moment: until when it is open, or when it opens. */
  readonly at: Readonly<Record<string, string>>
}

const [stockholm, newYork] = ['Europe/Stockholm', 'America/New_York']

const cases: readonly Case[] = [
  {
    says: 'A60 the example of the documentation, in Stockholm',
    provider: ['Monday, Tuesday | 02:00 | site-local | 3h'],
    site: stockholm,
    at: {
      '2026-11-22T12:00Z': 'opens 2026-11-23T01:00Z',
      '2026-11-23T01:00Z': 'open until 2026-11-23T04:00Z',
      '2026-11-23T04:00Z': 'opens 2026-11-24T01:00Z',
      '2026-11-24T04:00Z': 'opens 2026-11-30T01:00Z',
    },
  },
  {
    says: 'A60 the same in Stockholm in summer',
    provider: ['Monday, Tuesday | 02:00 | site-local | 3h'],
    site: stockholm,
    at: {
      '2026-07-06T00:00Z': 'open until 2026-07-06T03:00Z',
      '2026-07-06T03:00Z': 'opens 2026-07-07T00:00Z',
    },
  },
  {
    says: 'A60 the same in Kolkata, where Monday begins earlier and by half an hour',
    provider: ['Monday, Tuesday | 02:00 | site-local | 3h'],
    site: 'Asia/Kolkata',
    at: {
      '2026-11-22T12:00Z': 'opens 2026-11-22T20:30Z',
      '2026-11-22T23:29Z': 'open until 2026-11-22T23:30Z',
    },
  },
  {
    says: 'A60 the same in Kathmandu, by three quarters',
    provider: ['Monday | 06:00 | site-local | 1h'],
    site: 'Asia/Kathmandu',
    at: { '2026-11-22T12:00Z': 'opens 2026-11-23T00:15Z' },
  },
  {
    says: 'A60 the same on Kiritimati, where it is Monday before it is anywhere else',
    provider: ['Monday | 02:00 | site-local | 3h'],
    site: 'Pacific/Kiritimati',
    at: {
      '2026-11-22T11:59Z': 'opens 2026-11-22T12:00Z',
      '2026-11-22T14:59Z': 'open until 2026-11-22T15:00Z',
    },
  },
  {
    says: 'A60 the same in Pago Pago, where it is Monday last',
    provider: ['Monday | 02:00 | site-local | 3h'],
    site: 'Pacific/Pago_Pago',
    at: { '2026-11-23T12:59Z': 'opens 2026-11-23T13:00Z', '2026-11-23T16:00Z': 'opens 2026-11-30T13:00Z' },
  },
  {
    says: 'A60 a window with a zone of its own goes by that, wherever the site is',
    provider: ['daily | 00:00 | UTC | 1h'],
    site: stockholm,
    at: {
      '2026-07-01T00:30Z': 'open until 2026-07-01T01:00Z',
      '2026-06-30T22:30Z': 'opens 2026-07-01T00:00Z',
    },
  },
  {
    says: 'A62 what is triggered on Friday at three in the afternoon waits for Saturday at midnight',
    provider: ['Saturday, Sunday | 00:00 | site-local | 2h'],
    site: stockholm,
    at: { '2026-11-27T14:00Z': 'opens 2026-11-27T23:00Z', '2026-11-28T01:00Z': 'opens 2026-11-28T23:00Z' },
  },
  {
    says: 'A62 it is open from its first millisecond to the one before its last',
    provider: ['Saturday | 00:00 | UTC | 2h'],
    at: {
      '2026-11-27T23:59:59.999Z': 'opens 2026-11-28T00:00Z',
      '2026-11-28T00:00:00.000Z': 'open until 2026-11-28T02:00Z',
      '2026-11-28T01:59:59.999Z': 'open until 2026-11-28T02:00Z',
      '2026-11-28T02:00:00.000Z': 'opens 2026-12-05T00:00Z',
    },
  },
  {
    says: 'A62 the shortest one is a minute',
    provider: ['Wednesday | 12:00 | UTC | 1m'],
    at: {
      '2026-11-25T12:00:59.999Z': 'open until 2026-11-25T12:01Z',
      '2026-11-25T12:01Z': 'opens 2026-12-02T12:00Z',
    },
  },
  {
    says: 'A62 past midnight it belongs to the day on which it opened',
    provider: ['Sunday | 23:30 | UTC | 1h'],
    at: {
      '2026-11-23T00:00Z': 'open until 2026-11-23T00:30Z',
      '2026-11-23T23:45Z': 'opens 2026-11-29T23:30Z',
    },
  },
  {
    says: 'A62 also where that day is another one in UTC',
    provider: ['Friday | 22:00 | site-local | 8h'],
    site: newYork,
    at: {
      '2026-11-27T12:00Z': 'opens 2026-11-28T03:00Z',
      '2026-11-28T10:00Z': 'open until 2026-11-28T11:00Z',
      '2026-11-29T04:00Z': 'opens 2026-12-05T03:00Z',
    },
  },
  {
    says: 'A62 every day past midnight',
    provider: ['daily | 23:00 | UTC | 2h'],
    at: {
      '2026-11-25T00:30Z': 'open until 2026-11-25T01:00Z',
      '2026-11-25T01:00Z': 'opens 2026-11-25T23:00Z',
    },
  },
  {
    says: 'A62 into another year',
    provider: ['daily | 23:30 | UTC | 1h'],
    at: { '2026-12-31T23:45Z': 'open until 2027-01-01T00:30Z' },
  },
  {
    says: 'A62 on a leap day',
    provider: ['Tuesday | 12:00 | UTC | 1h'],
    at: {
      '2028-02-28T12:30Z': 'opens 2028-02-29T12:00Z',
      '2028-02-29T12:30Z': 'open until 2028-02-29T13:00Z',
    },
  },
  {
    says: 'A62 for days',
    provider: ['Friday | 18:00 | UTC | 2d12h'],
    at: {
      '2026-11-29T12:00Z': 'open until 2026-11-30T06:00Z',
      '2026-11-30T06:00Z': 'opens 2026-12-04T18:00Z',
    },
  },
  {
    says: 'A62 for all but an hour of the week',
    provider: ['Monday | 00:00 | UTC | 6d23h'],
    at: {
      '2026-11-29T22:59Z': 'open until 2026-11-29T23:00Z',
      '2026-11-29T23:30Z': 'opens 2026-11-30T00:00Z',
    },
  },
  {
    says: 'A62 around the clock it never closes',
    provider: ['daily | 00:00 | UTC | 24h'],
    at: { '2026-11-25T12:00Z': 'open', '2026-11-25T00:00Z': 'open' },
  },
  {
    says: 'A61 two that touch each other over midnight are one',
    provider: ['Monday | 22:00 | UTC | 2h', 'Tuesday | 00:00 | UTC | 1h'],
    at: { '2026-11-23T23:00Z': 'open until 2026-11-24T01:00Z' },
  },
  {
    says: 'A61 two with a minute between them are two',
    provider: ['Monday | 01:00 | UTC | 59m', 'Monday | 02:00 | UTC | 1h'],
    at: {
      '2026-11-23T01:00Z': 'open until 2026-11-23T01:59Z',
      '2026-11-23T01:59Z': 'opens 2026-11-23T02:00Z',
    },
  },
  {
    says: 'A61 one inside of the other changes nothing',
    provider: ['Monday | 01:00 | UTC | 4h', 'Monday | 02:00 | UTC | 1h'],
    at: { '2026-11-23T02:30Z': 'open until 2026-11-23T05:00Z' },
  },
  {
    says: 'A61 of two zones, whichever opens first',
    provider: [`Monday | 02:00 | ${stockholm} | 1h`, 'Monday | 02:00 | Asia/Kolkata | 1h'],
    at: { '2026-11-22T12:00Z': 'opens 2026-11-22T20:30Z', '2026-11-22T22:00Z': 'opens 2026-11-23T01:00Z' },
  },
  {
    says: 'D8 both parties, across zones',
    provider: ['Saturday | 22:00 | site-local | 8h'],
    owner: ['daily | 00:00 | UTC | 6h'],
    site: stockholm,
    at: {
      '2026-11-28T22:00Z': 'opens 2026-11-29T00:00Z',
      '2026-11-29T04:59Z': 'open until 2026-11-29T05:00Z',
      '2026-11-29T05:30Z': 'opens 2026-12-06T00:00Z',
    },
  },
  {
    says: 'D8 parties that only touch never meet',
    provider: ['Monday | 02:00 | UTC | 1h'],
    owner: ['Monday | 03:00 | UTC | 1h'],
    at: { '2026-11-23T02:30Z': 'never', '2026-11-23T03:00Z': 'never' },
  },
  {
    says: 'D8 parties that meet for a minute',
    provider: ['Monday | 02:00 | UTC | 1h1m'],
    owner: ['Monday | 03:00 | UTC | 1h'],
    at: {
      '2026-11-23T02:30Z': 'opens 2026-11-23T03:00Z',
      '2026-11-23T03:00Z': 'open until 2026-11-23T03:01Z',
    },
  },
  {
    says: 'D8 the owner alone, where the provider has none',
    provider: [],
    owner: ['Sunday | 04:00 | UTC | 1h'],
    at: { '2026-11-25T12:00Z': 'opens 2026-11-29T04:00Z' },
  },
  {
    says: 'A62 New York in March: a start that is skipped opens as if the clocks stood',
    provider: ['daily | 02:30 | site-local | 1h'],
    site: newYork,
    at: {
      '2026-03-08T07:00Z': 'opens 2026-03-08T07:30Z',
      '2026-03-08T07:45Z': 'open until 2026-03-08T08:30Z',
      '2026-03-08T08:30Z': 'opens 2026-03-09T06:30Z',
    },
  },
  {
    says: 'A62 New York in November: a start that comes twice opens once',
    provider: ['daily | 01:30 | site-local | 30m'],
    site: newYork,
    at: {
      '2026-11-01T05:45Z': 'open until 2026-11-01T06:00Z',
      '2026-11-01T06:45Z': 'opens 2026-11-02T06:30Z',
    },
  },
  {
    says: 'A62 New York: six hours are six hours when one is missing',
    provider: ['Saturday | 23:00 | site-local | 6h'],
    site: newYork,
    at: {
      '2026-03-08T09:59Z': 'open until 2026-03-08T10:00Z',
      '2026-03-08T10:00Z': 'opens 2026-03-15T03:00Z',
    },
  },
  {
    says: 'A62 New York: and when one is there twice',
    provider: ['Saturday | 23:00 | site-local | 6h'],
    site: newYork,
    at: {
      '2026-11-01T08:59Z': 'open until 2026-11-01T09:00Z',
      '2026-11-01T09:00Z': 'opens 2026-11-08T04:00Z',
    },
  },
  {
    says: 'A62 Cairo: a midnight that is skipped',
    provider: ['daily | 00:00 | site-local | 1h'],
    site: 'Africa/Cairo',
    at: {
      '2026-04-23T21:30Z': 'opens 2026-04-23T22:00Z',
      '2026-04-23T22:30Z': 'open until 2026-04-23T23:00Z',
    },
  },
  {
    says: 'A62 Santiago: a Sunday that begins at one',
    provider: ['Sunday | 00:00 | site-local | 2h'],
    site: 'America/Santiago',
    at: {
      '2026-09-06T03:59Z': 'opens 2026-09-06T04:00Z',
      '2026-09-06T05:59Z': 'open until 2026-09-06T06:00Z',
    },
  },
  {
    says: 'A62 Sydney: in October, on the other half of the earth',
    provider: ['Sunday | 02:00 | site-local | 1h'],
    site: 'Australia/Sydney',
    at: {
      '2026-10-03T15:59Z': 'opens 2026-10-03T16:00Z',
      '2026-10-03T16:30Z': 'open until 2026-10-03T17:00Z',
    },
  },
  {
    says: 'A62 Lord Howe: half an hour that is there twice',
    provider: ['daily | 01:45 | site-local | 30m'],
    site: 'Australia/Lord_Howe',
    at: {
      '2026-04-04T14:45Z': 'open until 2026-04-04T15:15Z',
      '2026-04-04T15:20Z': 'opens 2026-04-05T15:15Z',
    },
  },
  {
    says: 'A62 Tokyo, which never changes its clocks',
    provider: ['Sunday | 02:30 | site-local | 1h'],
    site: 'Asia/Tokyo',
    at: { '2026-03-28T12:00Z': 'opens 2026-03-28T17:30Z', '2026-10-24T12:00Z': 'opens 2026-10-24T17:30Z' },
  },
]

function windowOf(text: string) {
  const [days = '', startTime = '', timezone = '', duration = ''] = text.split(' | ')
  return { startTime, timezone, duration, ...(days === 'daily' ? {} : { daysOfWeek: days }) }
}

const shown = (ms: number) => `${new Date(ms).toISOString().slice(0, 16)}Z`

describe('the upgrade windows of sites around the world', () => {
  for (const { says, provider, owner = [], site, at } of cases)
    it(says, () => {
      const written = { provider: provider.map(windowOf), owner: owner.map(windowOf) }
      const windows = readWindows(written, site, '/windows', (_, reason) => expect.fail(reason))
      const found = Object.keys(at).map(time => {
        const ms = Date.parse(time)
        const state = windows === undefined ? { isOpen: true as const } : windowAt(windows, ms)
        if (!state.isOpen)
          return [time, state.opens === undefined ? 'never' : `opens ${shown(state.opens.ms)}`]
        const ends = windows && closesMs(windows, ms)
        return [time, ends === undefined ? 'open' : `open until ${shown(ends)}`]
      })
      expect(Object.fromEntries(found)).to.deep.equal(at)
    })
})
