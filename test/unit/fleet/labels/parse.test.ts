import { expect } from 'chai'
import { parseLabelExpression } from '../../../../lib/fleet/labels/parse.ts'
import { limits } from '../../../../lib/limits.ts'
import type { LabelExpression } from '../../../../lib/state/fleet/expression.ts'

describe('label expressions', () => {
  const meanings: readonly (readonly [string, string])[] = [
    ['A21 city', 'has(city)'],
    ['A21 system/type = edge', 'equal(system/type|edge)'],
    ['A21 move-theater-owner.com/with-storage', 'has(move-theater-owner.com/with-storage)'],
    ['A21 a=b', 'equal(a|b)'],
    ['A21 city = malmö', 'equal(city|malmö)'],
    ["A21 a = 'b c'", 'equal(a|b c)'],
    ["A21 a = 'b\\'", 'equal(a|b\\)'],
    ['A21 a = "b \\"c\\" \\\\"', 'equal(a|b "c" \\)'],
    ["A21 a = ''", 'equal(a|)'],
    ["A21 a = 'and'", 'equal(a|and)'],
    ['A21 a = android and b', 'and(equal(a|android), has(b))'],
    ['A21 notable', 'has(notable)'],
    ['A21 a ~ ^b', 'match(a|^b)'],
    ['A21 a~^b', 'match(a|^b)'],
    ['A21 a ~ ^(b|c)$ and d', 'and(match(a|^(b|c)$), has(d))'],
    ['A21 (a ~ ^b)', 'match(a|^b)'],
    ['A21 (a ~ \\))', 'match(a|\\))'],
    ['A21 a ~ "^\\d+ \\"x\\"$"', 'match(a|^\\d+ "x"$)'],
    ["A21 a ~ '^b c'", 'match(a|^b c)'],
    ['A21 {}', 'empty()'],
    ['A21 not(a)', 'not(has(a))'],
    ['A21 ((a))', 'has(a)'],
    ['A22 not a = b', 'not(equal(a|b))'],
    ['A22 not not a', 'not(not(has(a)))'],
    ['A22 not a and b', 'and(not(has(a)), has(b))'],
    ['A22 a or b and c', 'or(has(a), and(has(b), has(c)))'],
    ['A22 a and b or c', 'or(and(has(a), has(b)), has(c))'],
    ['A22 (a or b) and c', 'and(or(has(a), has(b)), has(c))'],
    ['A22 a and b and c', 'and(has(a), has(b), has(c))'],
    ['A23 a\n  =\tb \n', 'equal(a|b)'],
  ]
  for (const [row, meaning] of meanings) {
    const text = row.slice(4)
    it(`${row.slice(0, 3)} ${JSON.stringify(text)} means ${meaning}`, () => {
      const read = parseLabelExpression(text)
      expect(read.ok ? spelled(read.expression) : read.reason).to.equal(meaning)
    })
  }

  const mistakes: readonly (readonly [text: string, offset: number, reason: string, hint?: RegExp])[] = [
    ['', 0, 'is empty'],
    [' \n', 0, 'is empty'],
    ['system/type =', 13, 'expected a value, found the end'],
    ['system/type =\n', 13, 'expected a value, found the end'],
    ['system/type = edge and', 22, 'expected a label, "not", "(" or "{}", found the end'],
    ['system/type == edge', 13, 'expected a value, found "="; a label is compared with one "="'],
    [
      'system/type != edge',
      12,
      'expected "and", "or" or the end, found "!"; there is no "!=", write not (label = value)',
    ],
    [
      'system/type in (edge)',
      12,
      'expected "and", "or" or the end, found "in"; there is no "in", write label = one or label = another',
    ],
    [
      'system/type not in (edge)',
      12,
      'expected "and", "or" or the end, found "not"; there is no "in", write label',
    ],
    ['a && b', 2, 'expected "and", "or" or the end, found "&"; write "and"'],
    ['a || b', 2, 'expected "and", "or" or the end, found "|"; write "or"'],
    ['a AND b', 2, 'expected "and", "or" or the end, found "AND"; write "and"'],
    ['NOT a', 4, 'expected "and", "or" or the end, found "a"'],
    ['and', 0, 'expected a label, "not", "(" or "{}", found "and"'],
    ['a = and b', 4, 'expected a value, found "and"'],
    ['a ~ or b', 4, 'expected a regular expression, found "or"'],
    ['a ~', 3, 'expected a regular expression, found the end'],
    ['(a', 2, 'expected "and", "or" or ")", found the end'],
    ['a)', 1, 'expected "and", "or" or the end, found ")"'],
    ['()', 1, 'expected a label, "not", "(" or "{}", found ")"'],
    ['a b', 2, 'expected "and", "or" or the end, found "b"'],
    ['a = b;c', 5, 'expected "and", "or" or the end, found ";"; write a value with this character in quotes'],
    ['city = "unterminated', 7, 'the text that begins with " has no end'],
    ["city = 'unterminated", 7, "the text that begins with ' has no end"],
    ['city = "a\\', 7, 'the text that begins with " has no end'],
    ['NOT lab', 4, 'expected "and", "or" or the end, found "lab"; write "not"'],
    ['a and (Not lab)', 11, 'expected "and", "or" or ")", found "lab"; write "not"'],
    ['a = "b"c', 7, 'expected white space or a parenthesis after the closing quote, found "c"'],
    ['"a" = b', 0, 'expected a label, "not", "(" or "{}", found "\\""'],
    ['a ~ (b c)', 4, 'a parenthesis of the regular expression is not closed'],
    [
      'a ~ ^(?=b)',
      4,
      'has after "~" a text that is no regular expression of RE2: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      'a ~ (b)\\1',
      4,
      'has after "~" a text that is no regular expression of RE2: invalid escape sequence: `\\1`',
    ],
    ['a = \u{1f6a2}', 4, 'expected a value, found "\u{1f6a2}"'],
  ]
  for (const [text, offset, reason] of mistakes)
    it(`A21 refuses ${JSON.stringify(text)} at ${offset}, and says: ${reason}`, () => {
      const read = parseLabelExpression(text)
      expect(read).to.include({ ok: false, offset })
      expect(read).to.have.property('reason').that.includes(reason)
    })

  const explosions: readonly (readonly [string, string, string])[] = [
    ['long text', 'a '.repeat(limits.expressionCharacters), 'has more than 8192 characters'],
    ['parentheses', '('.repeat(8_000), 'more than 32 parentheses'],
    ['negations', `${'not '.repeat(2_000)}a`, 'more than 32 parentheses and "not"'],
    ['regular expressions', Array(33).fill('a ~ b').join(' or '), 'more than 32 regular expressions'],
    ['a regular expression', `a ~ ${'b'.repeat(257)}`, 'more than 256 characters'],
    ['repetitions', 'a ~ .{0,500}.{0,500}b', 'more than 1000 parts once its repetitions'],
    ['repetitions of repetitions', 'a ~ (b{1000}){1000}', 'more than 1000 parts once its repetitions'],
  ]
  for (const [what, text, reason] of explosions)
    it(`G24 refuses an expression with too much of: ${what}`, () => {
      expect(parseLabelExpression(text)).to.have.property('reason').that.includes(reason)
    })

  it('G24 says what all its regular expressions cost, also with a mistake after them', () => {
    expect(parseLabelExpression('a ~ b{100} or c ~ ^d$').patternParts).to.equal(103)
    expect(parseLabelExpression('a ~ b{100} or c ~ ^d$ or ~').patternParts).to.equal(103)
  })

  it('G24 reads thousands of conditions without a level for each', () => {
    const read = parseLabelExpression(Array(1_000).fill('a=b').join(' or '))
    expect(read.ok && read.expression.kind === 'or' && read.expression.of.length).to.equal(1_000)
  })
})

/** Another spelling of what an expression means, for literals. */
function spelled(expression: LabelExpression): string {
  switch (expression.kind) {
    case 'present':
      return `has(${expression.label})`
    case 'equal':
      return `equal(${expression.label}|${expression.value})`
    case 'match':
      return `match(${expression.label}|${expression.pattern})`
    case 'empty':
      return 'empty()'
    case 'not':
      return `not(${spelled(expression.of)})`
    case 'and':
    case 'or':
      return `${expression.kind}(${expression.of.map(spelled).join(', ')})`
  }
}
