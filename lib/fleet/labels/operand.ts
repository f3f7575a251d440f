import { limits } from '../../limits.ts'
import { parsePattern } from '../../state/pattern.ts'
import { patternParts } from '../../state/pattern-parts.ts'
import {
  type Cursor,
  type ExpressionFault,
  expected,
  fault,
  isKeyword,
  peekWord,
  skipSpace,
} from './cursor.ts'

/** The text after `=` or `~`. */
type Operand = { readonly ok: true; readonly value: string } | ExpressionFault

/** Reads the value after `=`: a word, or any text in quotes (A21). A bare keyword is a forgotten value. */
export function readComparedValue(cursor: Cursor): Operand {
  skipSpace(cursor)
  const quoted = readQuoted(cursor)
  if (quoted !== undefined) return quoted
  const word = peekWord(cursor)
  if (word === '' || isKeyword(word)) return expected(cursor, 'a value')
  cursor.offset += word.length
  return { ok: true, value: word }
}

/** Reads the regular expression after `~`. A bare one ends at white space, and at a parenthesis that it did not open. */
export function readPattern(cursor: Cursor): Operand {
  skipSpace(cursor)
  const { offset } = cursor
  const operand = readQuoted(cursor) ?? readBarePattern(cursor)
  if (!operand.ok) return operand
  cursor.patterns += 1
  if (cursor.patterns > limits.expressionPatterns)
    return fault(offset, `has more than ${limits.expressionPatterns} regular expressions`)
  cursor.patternParts += Math.min(patternParts(operand.value), limits.patternParts)
  const pattern = parsePattern(operand.value)
  return pattern.ok ? operand : fault(offset, `has after "~" a text that ${pattern.reason}`)
}

function readBarePattern(cursor: Cursor): Operand {
  const { offset } = cursor
  if (isKeyword(peekWord(cursor))) return expected(cursor, 'a regular expression')
  const end = endOfBarePattern(cursor)
  if (end === undefined)
    return fault(
      offset,
      'is no label expression: a parenthesis of the regular expression is not closed; write one with white space in quotes',
    )
  if (end === offset) return expected(cursor, 'a regular expression')
  cursor.offset = end
  return { ok: true, value: cursor.text.slice(offset, end) }
}

/** Returns the offset after a bare regular expression; undefined if a parenthesis of its own is open there. */
function endOfBarePattern({ text, offset }: Cursor): number | undefined {
  let open = 0
  let end = offset
  for (; end < text.length && !/\s/.test(text.charAt(end)); end += 1) {
    const character = text.charAt(end)
    if (character === '\\' && /\S/.test(text.charAt(end + 1))) end += 1
    else if (character === '(') open += 1
    else if (character === ')' && open === 0) break
    else if (character === ')') open -= 1
  }
  return open === 0 ? end : undefined
}

/**
 * Reads a text in quotes; undefined if none begins here. In double quotes a backslash before `"` or `\` stands for the
 * character after it. Any other is itself, so that `"^\d+$"` means what it looks like.
 */
function readQuoted(cursor: Cursor): Operand | undefined {
  const { text, offset } = cursor
  const quote = text.charAt(offset)
  if (quote !== '"' && quote !== "'") return undefined
  const end = endOfQuoted(text, offset + 1, quote)
  if (end === -1)
    return fault(offset, `is no label expression: the text that begins with ${quote} has no end`)
  cursor.offset = end + 1
  const inner = text.slice(offset + 1, end)
  if (/[^\s()]/.test(text.charAt(end + 1)))
    return expected(cursor, 'white space or a parenthesis after the closing quote')
  return { ok: true, value: quote === '"' ? inner.replaceAll(/\\(["\\])/g, '$1') : inner }
}

function endOfQuoted(text: string, from: number, quote: string): number {
  if (quote === "'") return text.indexOf(quote, from)
  let end = from
  while (end < text.length && text.charAt(end) !== quote) end += text.charAt(end) === '\\' ? 2 : 1
  return end < text.length ? end : -1
}
