import { expect } from 'chai'
import { createRedaction } from '../../../../../lib/reconcile/repository/secrets/redaction.ts'

describe('what is hidden in one environment', () => {
  /** Another secret of 100,000 lines at each time, as somebody may push it. */
  const linesOf = (push: number) =>
    Array.from({ length: 100_000 }, (_, line) => `${push}-${line.toString(36)}`).join('\n')

  it('G22 is not what was there long ago, when there was very much since', () => {
    const redaction = createRedaction()
    const site = redaction.onSite('north')
    redaction.learn(['first-of-all', 'always-there'])
    site.learn(['first-of-north'])
    for (let push = 1; push <= 5; push += 1) {
      redaction.learn(['always-there'])
      site.learn([linesOf(push), 'always-in-north'])
    }
    expect(site.redact('first-of-all always-there first-of-north always-in-north')).to.equal(
      'first-of-all [REDACTED] first-of-north [REDACTED]',
    )
    expect(site.redact('1-255r 5-255r')).to.equal('1-255r [REDACTED]')
  })

  it('G16 is all that is there now, however much that is', () => {
    const redaction = createRedaction()
    const there = [1, 2, 3].map(linesOf)
    for (let look = 1; look <= 4; look += 1) redaction.learn(there)
    expect(redaction.redact('1-255r 3-255r')).to.equal('[REDACTED] [REDACTED]')
  })

  it('G16 is what was there before a large secret took its place', () => {
    const redaction = createRedaction()
    redaction.learn([linesOf(1)])
    for (let look = 1; look <= 4; look += 1) redaction.learn([linesOf(2)])
    expect(redaction.redact('1-255r 2-255r')).to.equal('[REDACTED] [REDACTED]')
  })
})
