import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { createPassEnds } from '../../../lib/reconcile/pass-ends.ts'
import type { PassResult } from '../../../lib/reconcile/pass-result.ts'

const { signal } = new AbortController()

function result(passId: number): PassResult {
  return { passId, outcome: 'in-sync', sync: 'Synced', errors: [], waiting: [], results: [], status: [] }
}

describe('the ends of passes', () => {
  it('are waited for by number, early or late', async () => {
    const ends = createPassEnds()
    const second = ends.result(2, signal)
    ends.tell(result(7))
    ends.tell(result(8))
    expect(ends.count()).to.equal(2)
    expect([await ends.result(1, signal), await second]).to.deep.equal([result(7), result(8)])
  })

  it('are not waited for longer than the signal says', async () => {
    const ends = createPassEnds()
    const reason = await ends
      .result(1, AbortSignal.abort(new Error('enough')))
      .catch((error: Error) => error.message)
    expect(reason).to.equal('enough')
    const later = new AbortController()
    const waiting = ends.result(1, later.signal).catch((error: Error) => error.message)
    later.abort(new Error('enough by now'))
    expect(await waiting).to.equal('enough by now')
  })

  it('G22 leave nothing behind on the signal of who waited for them', async () => {
    const ends = createPassEnds()
    const { signal } = new AbortController()
    const waiting = ends.result(1, signal)
    expect(getEventListeners(signal, 'abort')).to.have.length(1)
    ends.tell(result(7))
    await waiting
    expect(getEventListeners(signal, 'abort')).to.deep.equal([])
  })

  it('are forgotten after a while', async () => {
    const ends = createPassEnds()
    for (let pass = 1; pass <= 17; pass += 1) ends.tell(result(pass))
    expect(await ends.result(1, signal)).to.equal(undefined)
    expect(await ends.result(2, signal)).to.deep.equal(result(2))
  })
})
