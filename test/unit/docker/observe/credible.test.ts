import { expect } from 'chai'
import { credible } from '../../../../lib/docker/observe/credible.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')

describe('when an engine says that something began', () => {
  it('D9 is believed where it is past, or not further ahead than clocks differ', () => {
    for (const began of ['2025-03-01T12:00:00Z', '2026-03-01T12:00:00Z', '2026-03-01T12:59:00Z'])
      expect(credible(Date.parse(began), nowMs)).to.equal(Date.parse(began))
  })

  it('D9 A44 is not known where it is yet to come: the clock of the engine was put back', () => {
    expect(credible(Date.parse('2027-03-01T12:00:00Z'), nowMs)).to.equal(undefined)
    expect(credible(undefined, nowMs)).to.equal(undefined)
  })
})
