import { expect } from 'chai'
import { applyDelta, deltaSize } from '../../../../../lib/git/objects/pack/delta.ts'

describe('a delta', () => {
  const base = Buffer.from('the quick brown fox')
  // base size 19, result size 13, copy 10 bytes from 0, insert "cat"
  const delta = Buffer.from([19, 13, 0x80 | 0x10, 10, 3, ...Buffer.from('cat')])

  it('copies from its base and inserts', () => {
    expect(applyDelta(base, delta)?.toString()).to.equal('the quick cat')
  })

  it('G24 says how large its result is before it is made', () => {
    expect(deltaSize(delta)).to.equal(13)
    expect(deltaSize(Buffer.from([19, 0x80, 0x80, 0x80, 0x80, 0x10]))).to.equal(2 ** 32)
  })

  it('G24 is refused with another base, a copy past its end, too long a result and the reserved instruction', () => {
    expect(applyDelta(Buffer.from('another'), delta)).to.equal(undefined)
    expect(applyDelta(base, Buffer.from([19, 13, 0x91, 15, 13]))).to.equal(undefined)
    expect(applyDelta(base, Buffer.from([19, 2, 0x90, 10]))).to.equal(undefined)
    expect(applyDelta(base, Buffer.from([19, 1, 0]))).to.equal(undefined)
    expect(applyDelta(base, Buffer.from([19, 5, 5, 1]))).to.equal(undefined)
  })
})
