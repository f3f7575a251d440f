import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { linkedAbort } from '../../../lib/wait/linked-abort.ts'

describe('a linked abort', () => {
  const sources = () => [new AbortController(), new AbortController()] as const

  it('aborts with whichever source does first, and for its reason', () => {
    const [one, other] = sources()
    const { signal } = linkedAbort(one.signal, other.signal)
    expect(signal.aborted).to.equal(false)
    other.abort('the other')
    one.abort('the one')
    expect(signal.reason).to.equal('the other')
  })

  it('has aborted if a source had', () => {
    const [one, other] = sources()
    other.abort('before')
    expect(linkedAbort(one.signal, other.signal).signal.reason).to.equal('before')
  })

  it('aborts on demand, and no source with it', () => {
    const [one, other] = sources()
    const linked = linkedAbort(one.signal, other.signal)
    linked.abort('on demand')
    one.abort('too late')
    expect(linked.signal.reason).to.equal('on demand')
    expect(other.signal.aborted).to.equal(false)
  })

  it('aborts without any source only on demand', () => {
    expect(linkedAbort().signal.aborted).to.equal(false)
  })

  for (const [how, end] of [
    ['is disposed of', (linked: ReturnType<typeof linkedAbort>) => linked[Symbol.dispose]()],
    ['has aborted', (linked: ReturnType<typeof linkedAbort>) => linked.abort()],
  ] as const)
    it(`leaves nothing with its sources once it ${how}`, () => {
      const [one, other] = sources()
      const linked = linkedAbort(one.signal, other.signal)
      const heard = () => [one, other].map(({ signal }) => getEventListeners(signal, 'abort').length)
      expect(heard()).to.deep.equal([1, 1])
      end(linked)
      expect(heard()).to.deep.equal([0, 0])
    })

  it('G17 listens once to a source, however many follow it, because each listener is compared with all others', () => {
    const [one] = sources()
    const linked = Array.from({ length: 1_000 }, () => linkedAbort(one.signal))
    expect(getEventListeners(one.signal, 'abort')).to.have.lengthOf(1)
    for (const each of linked.slice(0, 999)) each[Symbol.dispose]()
    one.abort('ended')
    expect(linked.flatMap(({ signal }) => (signal.aborted ? [signal.reason] : []))).to.deep.equal(['ended'])
  })

  it('leaves nothing with the others once one source has aborted', () => {
    const [one, other] = sources()
    linkedAbort(one.signal, other.signal)
    one.abort()
    expect(getEventListeners(other.signal, 'abort')).to.deep.equal([])
  })

  it('no longer aborts with a source once it is disposed of', () => {
    const [one] = sources()
    const linked = linkedAbort(one.signal)
    linked[Symbol.dispose]()
    one.abort()
    expect(linked.signal.aborted).to.equal(false)
  })
})
