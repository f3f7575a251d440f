import { expect } from 'chai'
import fc from 'fast-check'
import { redactNothing, redactor } from '../../../../lib/text/redaction/redact.ts'

describe('redaction', () => {
  it('G16 hides every occurrence', () => {
    expect(redactor(['abcd'])('abcd, abcd and abcdabcd')).to.equal(
      '[REDACTED], [REDACTED] and [REDACTED][REDACTED]',
    )
  })

  it('G16 hides what overlaps whole, also with itself', () => {
    expect(redactor(['abcd', 'cdef'])('-abcdef-')).to.equal('-[REDACTED]-')
    expect(redactor(['abab'])('-ababab-')).to.equal('-[REDACTED]-')
  })

  it('G16 hides a secret that looks like its own mark', () => {
    expect(redactor(['REDACTED', 'abcd'])('abcd REDACTED')).to.equal('[REDACTED] [REDACTED]')
  })

  it('G16 hides nothing where nothing is secret, and never an empty text', () => {
    expect(redactNothing('as it is')).to.equal('as it is')
    expect(redactor([''])('as it is', [''].slice(1))).to.equal('as it is')
  })

  it('G16 leaves nothing of a secret, whatever stands around it', () => {
    const secret = fc.stringMatching(/^[a-z0-9/+@%-]{4,12}$/)
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(fc.string()),
        (secrets, rest) => {
          const said = rest.flatMap((text, index) => [text, secrets[index % secrets.length] ?? '']).join('')
          const told = redactor(secrets)(said).split('[REDACTED]')
          for (const one of secrets) expect(told.filter(part => part.includes(one))).to.deep.equal([])
        },
      ),
    )
  })

  it('G16 hides the same among very many texts as among few', () => {
    const word = fc.stringMatching(/^[ab]{1,6}$/)
    const others = Array.from({ length: 100 }, (_, index) => `other-${index}`)
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 8 }),
        fc.stringMatching(/^[abc]{0,40}$/),
        (words, said) => {
          const hidden = redactor(words)(said)
          expect(redactor([...others, ...words])(said)).to.equal(hidden)
          expect(redactor(others)(said, words)).to.equal(hidden)
          expect(redactor(words)(said, [...others, ...words])).to.equal(hidden)
        },
      ),
    )
  })
})
