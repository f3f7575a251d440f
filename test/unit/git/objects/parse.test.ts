import { expect } from 'chai'
import { Failure } from '../../../../lib/errors.ts'
import { parseCommit, parseTree } from '../../../../lib/git/objects/parse.ts'

describe('a tree', () => {
  it('G24 tells files, directories, symlinks and submodules apart', () => {
    const modes = [
      '100644 file',
      '100755 script',
      '40000 directory',
      '040000 padded',
      '120000 link',
      '160000 module',
    ]
    const content = Buffer.concat(
      modes.map((entry, index) => Buffer.concat([Buffer.from(`${entry}\0`), Buffer.alloc(20, index)])),
    )
    expect(parseTree(content, 'oid').map(({ name, kind }) => `${name}: ${kind}`)).to.deep.equal([
      'file: file',
      'script: file',
      'directory: directory',
      'padded: directory',
      'link: symlink',
      'module: submodule',
    ])
  })

  it('is refused when it breaks off', () => {
    expect(() => parseTree(Buffer.from('100644 file\0short'), 'oid')).to.throw(
      Failure,
      'tree oid: is malformed',
    )
  })
})

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
