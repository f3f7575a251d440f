import { expect } from 'chai'
import { createDeadlines } from '../../../lib/apply/deadlines.ts'
import { change } from '../../support/builders/builders.ts'
import { waitUntil } from '../../support/time/wait-until.ts'

const minute = 60_000

describe('the deadline of a change', () => {
  it('X12 P5 does not come nearer while the change waits for the deploy of another version on another site', async () => {
    let nowMs = 0
    using deadlines = createDeadlines(
      () => 0,
      () => nowMs,
    )
    const slow = change({ deadlineMs: 30 * minute })
    const signal = deadlines.of(slow)
    nowMs += 20 * minute
    const goOn = deadlines.pause(slow)
    nowMs += 600 * minute
    goOn()
    nowMs += 9 * minute
    deadlines.pause(slow)()
    expect(signal.aborted).to.equal(false)
    nowMs += minute
    deadlines.pause(slow)()
    await waitUntil('its time is over', async () => signal.aborted)
    expect(signal.reason).to.include({ code: 'rollout-timeout' })
  })

  it('X12 is none for a change without one', () => {
    using deadlines = createDeadlines(
      () => 0,
      () => 0,
    )
    const patient = change({})
    deadlines.pause(patient)()
    expect(deadlines.of(patient).aborted).to.equal(false)
  })
})
