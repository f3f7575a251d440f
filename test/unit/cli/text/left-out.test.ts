import { expect } from 'chai'
import { leftOutText } from '../../../../lib/cli/text/left-out.ts'

describe('the sites on which an answer does not count', () => {
  it('D4 are told after it, each reason once', () => {
    const left = [
      { site: 'store-1', reason: 'another tallyman runs prod here; this one only observes' },
      { site: 'store-2', reason: 'was discarded by ann at 2026-03-01 12:00:00' },
      { site: 'store-3', reason: 'was discarded by ann at 2026-03-01 12:00:00' },
    ]
    expect(leftOutText(left)).to.equal(
      ' Not on store-1: another tallyman runs prod here; this one only observes. Not on store-2, store-3: was discarded by ann at 2026-03-01 12:00:00.',
    )
    expect(leftOutText(undefined)).to.equal('')
  })
})
