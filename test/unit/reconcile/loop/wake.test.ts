import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { createWake } from '../../../../lib/reconcile/loop/wake.ts'

const joined = (before: string, now: string) => `${before}+${now}`
const day = 86_400_000

describe('the waits of a loop', () => {
  it('G18 end when something is asked, also before they began', async () => {
    const wake = createWake(new AbortController().signal, joined)
    const waiting = wake.next(day, 'poll')
    wake.ask('event')
    expect(await waiting).to.equal('event')
    wake.ask('command')
    expect(await wake.next(undefined, 'poll')).to.equal('event+command')
    expect(wake.begin()).to.equal('event+command')
    expect(await wake.next(0, 'poll'), 'what was begun is no longer asked').to.equal('poll')
  })

  it('end when the loop is told to stop, and at once after that', async () => {
    const stop = new AbortController()
    const wake = createWake(stop.signal, joined)
    const waiting = wake.next(undefined, 'poll')
    stop.abort()
    expect(await waiting).to.equal('poll')
    wake.ask('event')
    expect(await wake.next(day, 'poll')).to.equal('poll')
  })

  it('leave nothing behind on the signal of a daemon that runs for years', async () => {
    const { signal } = new AbortController()
    const wake = createWake(signal, joined)
    for (const delayMs of [0, 0, undefined]) {
      const waiting = wake.next(delayMs, 'poll')
      if (delayMs === undefined) wake.ask('event')
      await waiting
    }
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })
})
