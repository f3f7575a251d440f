import { mock } from 'node:test'
import { expect } from 'chai'
import { every, later, sleep } from '../../../lib/wait/timer.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

describe('a timer', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  /** On which days something happened within a year. */
  function daysOf(begin: (act: () => void) => unknown): readonly number[] {
    const days: number[] = []
    let hours = 0
    begin(() => days.push(Math.floor(hours / 24)))
    for (hours = 1; hours <= 365 * 24; hours++) mock.timers.tick(hourMs)
    return days
  }

  function pass(days: number): void {
    for (let hours = 1; hours <= days * 24; hours++) mock.timers.tick(hourMs)
  }

  it('G24 waits as long as it says, also longer than Node.js can', () => {
    expect(daysOf(act => later(25 * dayMs, act))).to.deep.equal([25])
    expect(daysOf(act => later(364 * dayMs, act))).to.deep.equal([364])
  })

  it('G24 comes again and again as rarely as it says', () => {
    expect(daysOf(act => every(100 * dayMs, act))).to.deep.equal([100, 200, 300])
  })

  it('is not heard of again once it is cancelled, however long it was to wait', () => {
    const days = daysOf(act => {
      const timer = later(60 * dayMs, act)
      later(30 * dayMs, timer.cancel)
    })
    expect(days).to.deep.equal([])
  })

  it('begins to wait anew when it is told to', () => {
    const days = daysOf(act => {
      const timer = later(60 * dayMs, act)
      later(30 * dayMs, timer.again)
    })
    expect(days).to.deep.equal([90])
  })

  it('G24 lets sleep as long as it says, or until the signal aborts', async () => {
    let isOver = false
    const slept = sleep(60 * dayMs).then(() => {
      isOver = true
    })
    pass(59)
    await Promise.resolve()
    expect(isOver).to.equal(false)
    pass(2)
    await slept
    const abort = new AbortController()
    const broken = sleep(60 * dayMs, abort.signal).catch((reason: unknown) => reason)
    abort.abort('enough')
    expect(await broken).to.equal('enough')
    expect(await sleep(1, abort.signal).catch((reason: unknown) => reason)).to.equal('enough')
  })
})
