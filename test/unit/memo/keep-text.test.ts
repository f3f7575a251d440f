import { expect } from 'chai'
import { keepText } from '../../../lib/memo/keep-text.ts'

describe('texts of which there are few', () => {
  it('G22 are forgotten once there are too many, and stay what they are', () => {
    const alike = keepText(2)
    const all = ['a', 'b', 'c', 'a', 'd', 'e', 'b']
    expect(all.map(text => alike(text))).to.deep.equal(all)
  })
})
