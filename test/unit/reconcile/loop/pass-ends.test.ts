import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { createPassEnds } from '../../../../lib/reconcile/loop/pass-ends.ts'
import type { PassResult } from '../../../../lib/reconcile/site/pass-result.ts'

const { signal } = new AbortController()

function result(passId: number): PassResult {
  return { passId, outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [] }
}

describe('the ends of passes', () => {
  it('are told after a count, oldest first', () => {
    const ends = createPassEnds()
    for (const pass of [7, 8, 9]) ends.tell(result(pass))
    expect(ends.count()).to.equal(3)
    expect(ends.after(1)).to.deep.equal([result(8), result(9)])
    expect(ends.after(3)).to.deep.equal([])
  })

  it('are waited for until something is so, which may be so at once', async () => {
    const ends = createPassEnds()
    await ends.until(() => true, signal)
    const two = ends.until(() => ends.count() === 2, signal).then(() => ends.count())
    ends.tell(result(7))
    ends.tell(result(8))
    expect(await two).to.equal(2)
  })

  it('are not waited for longer than the signal says', async () => {
    const ends = createPassEnds()
    const reasonOf = (given: AbortSignal) =>
      ends
        .until(() => false, given)
        .then(
          () => 'was so',
          (error: Error) => error.message,
        )
    expect(await reasonOf(AbortSignal.abort(new Error('enough')))).to.equal('enough')
    const later = new AbortController()
    const waiting = reasonOf(later.signal)
    later.abort(new Error('enough by now'))
    expect(await waiting).to.equal('enough by now')
  })

  it('G22 leave nothing behind on the signal of who waited for them', async () => {
    const ends = createPassEnds()
    const { signal } = new AbortController()
    const waiting = ends.until(() => ends.count() === 1, signal)
    expect(getEventListeners(signal, 'abort')).to.have.length(1)
    ends.tell(result(7))
    await waiting
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })

  it('are forgotten after a while', () => {
    const ends = createPassEnds()
    for (let pass = 1; pass <= 65; pass += 1) ends.tell(result(pass))
    expect(ends.after(0)).to.have.length(64)
    expect(ends.after(0)[0]).to.deep.equal(result(2))
    expect(ends.after(64)).to.deep.equal([result(65)])
  })
})
