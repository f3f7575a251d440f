import { expect } from 'chai'
import { parsePattern } from '../../../lib/state/pattern.ts'
import { growth, mostInProportion } from '../../support/measure/growth.ts'

describe('regular expressions', () => {
  it('G24 compiles up to 1,000 parts, and refuses what would be more before it is compiled', () => {
    const refusals = Array.from({ length: 1_000 }, () => parsePattern('.{0,1000}'.repeat(28)))
    expect(parsePattern('^[a-z]{998}$').ok).to.equal(true)
    expect(refusals.filter(({ ok }) => ok)).to.deep.equal([])
  })

  it('G24 takes no more than linear time over what makes other engines hang', async () => {
    const compiled = parsePattern('^(a+)+(a|aa)*(.*.*)*$')
    const matches = (size: number) => compiled.ok && compiled.value.matches(`${'a'.repeat(size)}\n`)
    expect(matches(10_000)).to.equal(false)
    expect(await growth(matches, 1_000)).to.be.below(mostInProportion)
  })
})
