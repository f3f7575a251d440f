import { expect } from 'chai'
import { app, check } from '../../../unit/spec/build/required.ts'

describe('requirements between applications', () => {
  it('G24 names the first ones of a long circle, and how many more there are', () => {
    const names = Array.from({ length: 3_000 }, (_, index) => `a${index}`)
    const { blocked } = check(
      names.map((name, index) => app(name, '1.0.0', { [`a${(index + 1) % 3_000}`]: '*' })),
    )
    expect(blocked).to.have.length(3_000)
    expect(blocked[2_995]).to.equal(
      'a2995 requires itself in a circle: a2995 → a2996 → a2997 → a2998 → a2999 → a0 → a1 → a2 → a3 → a4 → 2990 more → a2995 (requires-cycle)',
    )
    expect(Math.max(...blocked.map(({ length }) => length))).to.be.below(150)
  })

  it('G24 takes many more circles than there are applications', () => {
    const names = Array.from({ length: 400 }, (_, index) => `a${index}`)
    const all = Object.fromEntries(names.map(name => [name, '*']))
    const { blocked } = check(names.map(name => app(name, '1.0.0', all)))
    expect(blocked.slice(0, 3)).to.deep.equal([
      'a0 requires itself in a circle: a0 → a0 (requires-cycle)',
      'a1 requires itself in a circle: a1 → a0 → a1 (requires-cycle)',
      'a2 requires itself in a circle: a2 → a0 → a1 → a2 (requires-cycle)',
    ])
    expect(blocked).to.have.length(400)
  })

  it('G24 takes a chain of thousands', () => {
    const chain = Array.from({ length: 5_000 }, (_, index) =>
      app(`a${index}`, '1.0.0', index === 0 ? {} : { [`a${index - 1}`]: '*' }),
    )
    expect(check(chain.toReversed()).blocked).to.deep.equal([])
    expect(check(chain.slice(1).toReversed()).applications).to.deep.equal([])
  })
})
