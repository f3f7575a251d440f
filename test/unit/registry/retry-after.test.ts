import { expect } from 'chai'
import { parseRetryAfter } from '../../../lib/registry/retry-after.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

describe('parseRetryAfter', () => {
  it('G21 reads seconds', () => {
    expect(parseRetryAfter(' 120 ', now)).to.equal(120_000)
  })

  it('G21 reads a date', () => {
    expect(parseRetryAfter('Sun, 01 Mar 2026 12:00:30 GMT', now)).to.equal(30_000)
  })

  it('G21 takes a date in the past for now', () => {
    expect(parseRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT', now)).to.equal(0)
  })

  it('G21 waits a day at most', () => {
    expect(parseRetryAfter('99999999999999', now)).to.equal(86_400_000)
  })

  it('G21 makes nothing of no header, an empty one or nonsense', () => {
    expect(parseRetryAfter(undefined, now)).to.equal(undefined)
    expect(parseRetryAfter('', now)).to.equal(undefined)
    expect(parseRetryAfter('soon', now)).to.equal(undefined)
  })
})
