import { expect } from 'chai'
import { parsePattern } from '../../../lib/state/pattern.ts'

describe('regular expressions', () => {
  it('G24 compiles up to 1,000 parts, and refuses what would be more before it is compiled', () => {
    const refusals = Array.from({ length: 1_000 }, () => parsePattern('.{0,1000}'.repeat(28)))
    expect(parsePattern('^[a-z]{998}$').ok).to.equal(true)
    expect(refusals.filter(({ ok }) => ok)).to.deep.equal([])
  })

  it('G24 takes no more than linear time over what makes other engines hang', function () {
    this.timeout(2_000)
    const compiled = parsePattern('^(a+)+(a|aa)*(.*.*)*$')
    expect(compiled.ok && compiled.value.matches(`${'a'.repeat(10_000)}\n`)).to.equal(false)
  })
})
