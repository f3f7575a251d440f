import { expect } from 'chai'
import { excerpt, saidLines } from '../../../lib/docker/excerpt.ts'

describe('excerpt', () => {
  it('keeps the last five lines, on one', () => {
    expect(excerpt('1\n2\n3\n\n4\r\n5\n6\n', [])).to.equal('2 | 3 | 4 | 5 | 6')
  })

  it('keeps the last 500 characters', () => {
    expect(excerpt(`${'a'.repeat(600)}end`, []))
      .to.have.lengthOf(500)
      .and.match(/aend$/)
  })

  it('strips colours and control characters', () => {
    expect(excerpt('\x1b[31mfatal\x1b[0m:\tno\x07 database\x00\u202e', [])).to.equal('fatal: no  database')
  })

  it('G16 hides the values of the environment, the longest first', () => {
    const env = ['PASSWORD=hunter22', 'URL=postgres://app:hunter22@db/app', 'MODE=prod']
    expect(excerpt('prod: cannot reach postgres://app:hunter22@db/app with hunter22', env)).to.equal(
      'prod: cannot reach [REDACTED] with [REDACTED]',
    )
  })

  it('keeps more where more is asked for', () => {
    expect(excerpt('1\n2\n3\n4\n5\n6\n7', [], { lines: 6, characters: 13 })).to.equal('4 | 5 | 6 | 7')
  })
})

describe('saidLines', () => {
  it('G16 keeps lines apart, without what nobody is to see', () => {
    expect(saidLines('a\n\n b hunter22\x07\r\n', ['P=hunter22'])).to.deep.equal(['a', 'b [REDACTED]'])
  })
})
