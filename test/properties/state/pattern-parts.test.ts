import { expect } from 'chai'
import { RE2JS } from 're2js'
import { patternParts } from '../../../lib/state/pattern-parts.ts'

describe('the parts of a regular expression, with its repetitions written out', () => {
  it('G24 are at least half of the instructions that it compiles to, whatever it is made of', () => {
    const pick = drawn(20_261_126)
    let compiled = 0
    for (let count = 0; count < 3_000; count += 1) {
      const pattern = Array.from({ length: 1 + pick(10) }, () => pieces[pick(pieces.length)]).join('')
      const parts = patternParts(pattern)
      const size = parts > 300 ? undefined : instructionsOf(pattern)
      if (size === undefined) continue
      compiled += 1
      expect(size, pattern).to.be.at.most(2 * parts + 3)
    }
    expect(compiled).to.be.greaterThan(500)
  })
})

/** What is read as a part, what ends one too early, and what only looks like a repetition. */
const pieces = [
  ...['a', 'k', '😀', '.', '\\d', '\\pL', '\\p{Greek}', '\\x{41}', '\\b', '\\\\', '^', '$', '-', ':'],
  ...['[a-z]', '[^]a]', '[[:alpha:]x]', '[(]', '[)]', '[{9}]', '[\\]]', '[', ']'],
  ...['(', '(', '(?:', '(?i:', '(?P<n>', ')', ')', ')', '\\(', '\\)', '(?i)', '(?-i)', '(?U)', '|'],
  ...['*', '+', '?', '{2}', '{3,}', '{0,7}', '{2,5}', '{50}', '{200}', '{,3}', '{', '}', '\\{'],
  ...['\\Qa(b\\E', '\\Q\\E', '\\Q{9}', '\\E'],
]

function instructionsOf(pattern: string): number | undefined {
  try {
    return RE2JS.compile(pattern).programSize()
  } catch {
    return undefined
  }
}

/** Numbers below a bound, the same for the same seed. */
function drawn(seed: number): (bound: number) => number {
  let state = seed
  return bound => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 8) % bound
  }
}
