import { expect } from 'chai'
import { circlesIn } from '../../../bin/bundle/circles.ts'

describe('files that import one another', () => {
  it('are told in the order in which they do', () => {
    const imports = new Map([
      ['main.js', ['a.cjs', 'node:fs']],
      ['a.cjs', ['b.cjs']],
      ['b.cjs', ['c.cjs']],
      ['c.cjs', ['a.cjs']],
    ])
    expect(circlesIn(imports)).to.deep.equal(['a.cjs → b.cjs → c.cjs → a.cjs'])
    expect(circlesIn(new Map([['a.cjs', ['a.cjs']]]))).to.deep.equal(['a.cjs → a.cjs'])
  })

  it('are not those of which several import the same', () => {
    const imports = new Map([
      ['main.js', ['a.cjs', 'b.cjs', 'c.cjs']],
      ['a.cjs', ['c.cjs', 'b.cjs']],
      ['b.cjs', ['c.cjs']],
      ['c.cjs', []],
    ])
    expect(circlesIn(imports)).to.deep.equal([])
  })
})
