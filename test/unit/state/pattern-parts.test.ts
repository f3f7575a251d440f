import { expect } from 'chai'
import { patternParts } from '../../../lib/state/pattern-parts.ts'

describe('the parts of a regular expression, with its repetitions written out', () => {
  const rows: readonly (readonly [string, number])[] = [
    ['', 0],
    ['^(eu|us)-\\d+$', 12],
    ['\\d{1,9}', 9],
    ['(ab){3}', 12],
    ['(?:ab){3,}', 12],
    ['a{0}', 1],
    ['[a-z0-9]{63}', 63],
    ['[]{9}]{2}', 2],
    ['[[:alpha:]{9}]{2}', 2],
    ['\\p{Greek}{4}', 4],
    ['\\x{100}{4}', 4],
    ['\\{9}', 3],
    ['\\Qa{9}(\\E{2}', 6],
    ['a{,9}', 5],
    ['((a{2}){3}){4}', 56],
    ['(abcd)(?i){10}', 70],
    ['(abcd)\\Q\\E{10}', 60],
    ['.{0,1000}.{0,1000}', 2_000],
  ]
  for (const [pattern, parts] of rows)
    it(`G24 are ${parts} for /${pattern}/`, () => {
      expect(patternParts(pattern)).to.equal(parts)
    })
})
