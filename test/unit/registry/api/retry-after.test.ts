import { expect } from 'chai'
import { parseRetryAfter } from '../../../../lib/registry/api/retry-after.ts'

/** What an answer of that time says. */
const said = (after: string, date = 'Sun, 01 Mar 2026 12:00:00 GMT') =>
  parseRetryAfter(new Headers({ 'retry-after': after, date }))

describe('parseRetryAfter', () => {
  it('G21 reads seconds', () => {
    expect(said(' 120 ')).to.equal(120_000)
  })

  it('G21 reads a date by the clock of the registry, whatever time it is here', () => {
    expect(said('Sun, 01 Mar 2026 12:00:30 GMT')).to.equal(30_000)
    expect(said('Sun, 01 Mar 2015 12:00:30 GMT', 'Sun, 01 Mar 2015 12:00:00 GMT')).to.equal(30_000)
  })

  it('G21 takes a date in the past for now', () => {
    expect(said('Sun, 01 Mar 2026 11:00:00 GMT')).to.equal(0)
  })

  it('G21 waits a day at most', () => {
    expect(said('99999999999999')).to.equal(86_400_000)
  })

  it('G21 makes nothing of no header, an empty one or nonsense, nor of a date in an answer without one', () => {
    expect(parseRetryAfter(new Headers())).to.equal(undefined)
    expect(said('')).to.equal(undefined)
    expect(said('soon')).to.equal(undefined)
    const undated = new Headers({ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' })
    expect(parseRetryAfter(undated)).to.equal(undefined)
  })
})
