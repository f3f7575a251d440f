import { expect } from 'chai'
import { keepText } from '../../../lib/memo/keep-text.ts'
import { heapInUse } from '../../support/measure/heap.ts'

/** A text of 10 kB that no other one shares its memory with. */
const read = () => JSON.parse(JSON.stringify('0123456789'.repeat(1_000)))

describe('texts of which there are few', () => {
  it('G22 take the memory of one, however many have it', () => {
    const alike = keepText(10)
    const before = heapInUse()
    const all = Array.from({ length: 1_000 }, () => alike(read()))
    expect(heapInUse() - before).to.be.below(1_000_000)
    expect(all.every(text => text === read())).to.equal(true)
  })
})
