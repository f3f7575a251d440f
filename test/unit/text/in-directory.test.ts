import { expect } from 'chai'
import { isWithin } from '../../../lib/text/in-directory.ts'

describe('isWithin', () => {
  it('compares by whole components', () => {
    const within = ['/a/b', '/a/b/c', '/a/bc', '/a'].filter(path => isWithin(path, '/a/b'))
    expect(within).to.deep.equal(['/a/b', '/a/b/c'])
  })

  it('has everything within the root, which is the empty text', () => {
    expect(['', '/', '/a'].every(path => isWithin(path, ''))).to.equal(true)
  })
})
