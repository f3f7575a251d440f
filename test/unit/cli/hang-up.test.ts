import { expect } from 'chai'
import { heedHangUp } from '../../../lib/cli/hang-up.ts'

/** How often SIGHUP was heeded: before and after somebody can do what it asks for. */
function heeded(before: number, after: number): number {
  const hangUp = heedHangUp({ isTTY: false })
  let times = 0
  try {
    for (let count = 0; count < before; count += 1) process.emit('SIGHUP')
    hangUp.onAsked(() => {
      times += 1
    })
    for (let count = 0; count < after; count += 1) process.emit('SIGHUP')
  } finally {
    hangUp.release()
  }
  return times
}

describe('SIGHUP', () => {
  it('asks each time, and once for all that came before anybody could heed it', () => {
    expect([heeded(0, 0), heeded(0, 2), heeded(1, 0), heeded(3, 2)]).to.deep.equal([0, 2, 1, 3])
  })

  it('is left alone in a terminal', () => {
    const before = process.listenerCount('SIGHUP')
    const hangUp = heedHangUp({ isTTY: true })
    expect(process.listenerCount('SIGHUP')).to.equal(before)
    hangUp.release()
  })
})
