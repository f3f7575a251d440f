import { expect } from 'chai'
import { parsePattern } from '../../../lib/state/pattern.ts'

const tooManyParts =
  'is a regular expression of more than 1000 parts once its repetitions, such as {0,100}, are written out; repeat less'

describe('regular expressions', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['^3\\.0$', '3.0', true],
    ['^3\\.0$', '3.0.1', false],
    ['3\\.0', '13.0.1', true],
    ['^(1|2)\\..*', '2.4', true],
    ['^\\d+\\.\\d+$', '1.10', true],
    ['.*', '', true],
    ['(?i)^rc', 'RC-1', true],
  ]
  for (const [pattern, text, expected] of rows)
    it(`A42 /${pattern}/ ${expected ? 'matches' : 'does not match'} "${text}"`, () => {
      const compiled = parsePattern(pattern)
      expect(compiled.ok && compiled.value.matches(text)).to.equal(expected)
    })

  const refused: readonly (readonly [string, string])[] = [
    ['[', 'is no regular expression of RE2: missing closing ]: `[`'],
    ['(?=3)', 'is no regular expression of RE2: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'is no regular expression of RE2: invalid escape sequence: `\\1`'],
    ['(a{40}){40}', tooManyParts],
    ['(a{1000}){1000}', tooManyParts],
    ['a{1001}', tooManyParts],
    ['a'.repeat(257), 'is a regular expression of more than 256 characters'],
  ]
  for (const [pattern, reason] of refused)
    it(`refuses ${pattern.slice(0, 20)}`, () => {
      expect(parsePattern(pattern)).to.deep.equal({ ok: false, reason })
    })
})
