import { expect } from 'chai'
import { parsePackedRefs } from '../../../lib/git/local-refs.ts'

describe('packed refs', () => {
  it('are read with what annotated tags stand for', () => {
    const one = '1'.repeat(40)
    const two = '2'.repeat(40)
    const text = `# pack-refs with: peeled fully-peeled sorted \n${one} refs/heads/main\n${two} refs/tags/v1\n^${one}\n`
    expect(parsePackedRefs(text)).to.deep.equal([
      { name: 'refs/heads/main', oid: one },
      { name: 'refs/tags/v1', oid: two, peeled: one },
    ])
  })
})
