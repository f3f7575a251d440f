import { hash } from 'node:crypto'
import { expect } from 'chai'
import { growth, mostInProportion } from '../support/measure/growth.ts'

describe('how much longer ten times as much takes', () => {
  it('is about ten for what looks at each thing once, also where that takes too little to be measured', async () => {
    const bytes = Buffer.alloc(100_000, 'x')
    const digest = (count: number) => hash('sha256', bytes.subarray(0, count))
    for (let turn = 0; turn < 5; turn += 1) expect(await growth(digest, 10_000)).to.be.within(3, 20)
  })

  it('is above that of what grows in proportion where all things are looked at for each one, also where they are few', async () => {
    for (const few of [200, 1_000]) {
      const lookAtEach = (count: number) => {
        const all = Array.from({ length: count }, (_, index) => index)
        return all.filter(one => all.indexOf(one) === -1)
      }
      expect(await growth(lookAtEach, few)).to.be.above(mostInProportion)
    }
  })
})
