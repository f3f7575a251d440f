import { expect } from 'chai'
import { longestUptimeMs } from '../../../../lib/state/running/uptime.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

describe('the longest uptime that the words of an engine allow', () => {
  const table: readonly (readonly [status: string, ms: number | undefined])[] = [
    ['Up Less than a second', second],
    ['Up 1 second', 2 * second],
    ['Up 59 seconds (health: starting)', 60 * second],
    ['Up About a minute (healthy)', 2 * minute],
    ['Up 5 minutes (Paused)', 6 * minute],
    ['Up About an hour', 1.5 * hour],
    ['Up 47 hours', 47.5 * hour],
    ['Up 2 days', 3 * day],
    ['Up 3 weeks', 28 * day],
    ['Up 3 months', 120 * day],
    ['Up 2 years', 3 * 365 * day],
    ['Exited (0) 3 seconds ago', undefined],
    ['Restarting (1) 3 seconds ago', undefined],
    ['Created', undefined],
    ['Up 99999999 years', undefined],
    ['', undefined],
  ]
  for (const [status, ms] of table)
    it(`A31 is ${ms ?? 'not known'} of "${status}"`, () => {
      expect(longestUptimeMs(status)).to.equal(ms)
    })
})
