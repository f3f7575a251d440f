import { expect } from 'chai'
import { heapGrowth } from '../../../lib/daemon/heap-growth.ts'

describe('the garbage that a daemon keeps', () => {
  it('G17 is a fifth of its heap with up to 2,000 sites, and up to three fifths with more', () => {
    expect([1, 1_000, 2_000, 2_999, 4_000, 10_000].map(heapGrowth)).to.deep.equal([20, 20, 20, 29, 40, 60])
  })
})
