import { expect } from 'chai'
import { parseCommit } from '../../../../lib/git/objects/parse.ts'

describe('a commit', () => {
  it('says its tree, who wrote it, when it was committed and why', () => {
    const tree = 'a'.repeat(40)
    const text = `tree ${tree}\nauthor Ada <ada@example.com> 1 +0000\ncommitter Bob <b@c> 1767225600 +0200\n\nFix\n\nBecause.\n`
    expect(parseCommit(Buffer.from(text), 'oid')).to.deep.equal({
      tree,
      author: 'Ada <ada@example.com>',
      committedMs: 1_767_225_600_000,
      message: 'Fix\n\nBecause.\n',
    })
  })
})
