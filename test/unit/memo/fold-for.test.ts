import { expect } from 'chai'
import { foldFor } from '../../../lib/memo/fold-for.ts'

describe('what lists come to', () => {
  it('G24 follows from what the list before came to, of which nothing is gone through again', () => {
    const gone: number[] = []
    const sums = foldFor<number, number>(
      () => 0,
      (sum, more) => {
        gone.push(...more)
        return more.reduce((all, one) => all + one, sum)
      },
    )
    const first = [1, 2]
    const longer = sums.followed(first, [3])
    const alike = sums.isAlike([6], longer)
    expect([longer, alike]).to.deep.equal([[1, 2, 3], [6]])
    expect([sums.of(sums.followed(alike, [4])), sums.of(longer), sums.of(first)]).to.deep.equal([10, 6, 3])
    expect(gone).to.deep.equal([1, 2, 3, 4])
    expect(sums.of([1, 2, 3])).to.equal(6)
  })
})
