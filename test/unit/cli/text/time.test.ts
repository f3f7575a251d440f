import { expect } from 'chai'
import { agoText } from '../../../../lib/cli/text/time.ts'

describe('how long ago something was', () => {
  it('G13 is said in the one unit that a reader needs', () => {
    expect([0, 119_000, 120_000, 3 * 3_600_000, 3 * 86_400_000].map(agoText)).to.deep.equal([
      '0 s ago',
      '119 s ago',
      '2 min ago',
      '3 h ago',
      '3 days ago',
    ])
  })

  it('G13 is not called fresh where the clock was put back since', () => {
    expect(agoText(-400 * 86_400_000)).to.equal(
      '400 days from now by the clock of this machine, which was put back',
    )
  })
})
