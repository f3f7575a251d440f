import { expect } from 'chai'
import { countOf } from '../../../../lib/state/share-of.ts'

describe('a number of instances', () => {
  const cases: readonly (readonly [number | string, number, number, number])[] = [
    // what is written, of how many, as maxSurge, as maxUnavailable
    [2, 10, 2, 2],
    [0, 10, 0, 0],
    ['25%', 1, 1, 0],
    ['25%', 3, 1, 0],
    ['25%', 4, 1, 1],
    ['25%', 10, 3, 2],
    ['0%', 10, 0, 0],
    ['100%', 3, 3, 3],
    ['33%', 3, 1, 0],
  ]
  for (const [value, instances, up, down] of cases) {
    it(`H25 rounds ${value} of ${instances} up to ${up} for maxSurge and down to ${down} for maxUnavailable`, () => {
      expect([countOf(value, instances, 'up'), countOf(value, instances, 'down')]).to.deep.equal([up, down])
    })
  }
})
