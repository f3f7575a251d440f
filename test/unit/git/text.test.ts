import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { decodeText, fileTooLarge, foreignText } from '../../../lib/git/text.ts'
import { printable } from '../../../lib/text/printable.ts'

describe('the text of a file', () => {
  it('is UTF-8, its byte order mark left out', () => {
    expect(decodeText(Buffer.from('\ufeff{"ä": 1}'), 'a.json')).to.equal('{"ä": 1}')
  })

  it('G24 is refused with NUL or other bytes than UTF-8', () => {
    expect(() => decodeText(Buffer.from([0x7b, 0]), 'a.json')).to.throw(Failure, 'a.json: contains NUL')
    expect(() => decodeText(Buffer.from([0xff]), 'a.json'))
      .to.throw(Failure, 'a.json: is not valid UTF-8')
      .with.property('code', 'file-not-text')
  })

  it('G24 is refused where Git LFS left a pointer, and the hint says so', () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`
    expect(() => decodeText(Buffer.from(pointer), 'applications/a.yaml'))
      .to.throw(Failure, 'applications/a.yaml: is a Git LFS pointer; the file itself is stored elsewhere')
      .that.includes({
        code: 'file-missing',
        hint: 'Keep the file in git itself: remove the line that matches it from .gitattributes, run "git add --renormalize applications/a.yaml", and commit both.',
      })
  })

  it('G24 is refused by its size with path and size', () => {
    expect(fileTooLarge('a.json', 200_000_000))
      .to.include({ code: 'file-too-large' })
      .with.property('message', 'a.json: has 200000000 bytes; at most 8388608 are read')
  })
})

describe('what a stranger wrote', () => {
  it('G24 keeps what acts on a terminal or reorders text, to be shown as escapes where it is printed', () => {
    const text = foreignText(' \u001b[2JFix\u0007 it\u202e\n')
    expect(text).to.equal('\u001b[2JFix\u0007 it\u202e')
    expect(printable(text)).to.equal('\\u001b[2JFix\\u0007 it\\u202e')
  })

  it('G24 is bounded', () => {
    expect(foreignText('x'.repeat(100_000)).length).to.be.at.most(1_000)
  })
})
