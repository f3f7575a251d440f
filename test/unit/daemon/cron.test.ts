import { mock } from 'node:test'
import { expect } from 'chai'
import { startCron } from '../../../lib/daemon/cron.ts'

const dayMs = 86_400_000

/** Clocks of which the test lets time pass, second by second, and puts the time of day forward and back. */
function clocks(timeOfDay: string) {
  let passedMs = 0
  let ofDayMs = Date.parse(timeOfDay)
  const RealDate = Date
  class PutDate extends RealDate {
    constructor(...given: readonly [] | ConstructorParameters<typeof RealDate>) {
      super(...((given.length === 0 ? [ofDayMs + passedMs] : given) as [number]))
    }
    static override now() {
      return ofDayMs + passedMs
    }
  }
  globalThis.Date = PutDate as DateConstructor
  mock.method(performance, 'now', () => passedMs)
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  return {
    put: (ms: number) => {
      ofDayMs += ms
    },
    /** What is due sets its next timer in between. */
    async minutes(count: number) {
      for (let seconds = 0; seconds < count * 60; seconds += 1) {
        passedMs += 1_000
        mock.timers.tick(1_000)
        await new Promise(setImmediate)
      }
    },
    [Symbol.dispose]() {
      globalThis.Date = RealDate
      mock.reset()
    },
  }
}

describe('looking again by a cron expression', () => {
  it('G18 happens at the times that it says', async () => {
    using clock = clocks('2026-03-01T12:00:30Z')
    let looks = 0
    const stop = await startCron('*/5 * * * *', () => {
      looks += 1
    })
    await clock.minutes(16)
    expect(looks).to.equal(3)
    stop()
  })

  it('G18 goes on when the clock was put forward for a while and back again', async () => {
    using clock = clocks('2026-03-01T12:00:30Z')
    let looks = 0
    const stop = await startCron('* * * * *', () => {
      looks += 1
    })
    clock.put(400 * dayMs)
    await clock.minutes(2)
    clock.put(-400 * dayMs)
    looks = 0
    await clock.minutes(5)
    expect(looks).to.be.within(4, 6)
    stop()
  })
})
