import { limits } from '../../limits.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import {
  type Cursor,
  type ExpressionFault,
  expected,
  fault,
  isKeyword,
  peekWord,
  skipSpace,
  take,
  takeKeyword,
} from './cursor.ts'
import { readComparedValue, readPattern } from './operand.ts'

/** What a text means, or the first mistake in it. */
type Read = { readonly ok: true; readonly expression: LabelExpression } | ExpressionFault

/** The same, and how many parts its regular expressions have, also those before a mistake: what reading it cost. */
export type ParsedExpression = Read & { readonly patternParts: number }

/**
 * Parses a label expression (A21). `not` binds closer than `and`, and `and` closer than `or`; parentheses group; white
 * space is free (A22, A23). Length, depth, and the number and size of regular expressions are limited (G24).
 */
export function parseLabelExpression(text: string): ParsedExpression {
  const cursor: Cursor = { text, offset: 0, patterns: 0, patternParts: 0 }
  const read = readWhole(cursor)
  return { ...read, patternParts: cursor.patternParts }
}

function readWhole(cursor: Cursor): Read {
  const { text } = cursor
  if (text.length > limits.expressionCharacters)
    return fault(0, `has more than ${limits.expressionCharacters} characters`)
  skipSpace(cursor)
  if (cursor.offset === text.length) return fault(0, 'is empty')
  const read = readAlternatives(cursor, 0)
  if (!read.ok) return read
  skipSpace(cursor)
  return cursor.offset < text.length ? expected(cursor, '"and", "or" or the end') : read
}

function readAlternatives(cursor: Cursor, depth: number): Read {
  return readJoined(cursor, 'or', () => readJoined(cursor, 'and', () => readCondition(cursor, depth)))
}

function readJoined(cursor: Cursor, kind: 'and' | 'or', readOne: () => Read): Read {
  const first = readOne()
  if (!first.ok) return first
  const all = [first.expression]
  while (takeKeyword(cursor, kind)) {
    const next = readOne()
    if (!next.ok) return next
    all.push(next.expression)
  }
  return all.length === 1 ? first : found({ kind, of: all })
}

function readCondition(cursor: Cursor, depth: number): Read {
  skipSpace(cursor)
  if (depth > limits.expressionDepth)
    return fault(
      cursor.offset,
      `has more than ${limits.expressionDepth} parentheses and "not" inside one another`,
    )
  if (takeKeyword(cursor, 'not')) {
    const negated = readCondition(cursor, depth + 1)
    return negated.ok ? found({ kind: 'not', of: negated.expression }) : negated
  }
  if (take(cursor, '(')) return readGroup(cursor, depth)
  if (take(cursor, '{}')) return found({ kind: 'empty' })
  return readTest(cursor)
}

/** Reads the rest of a group after its opening parenthesis. */
function readGroup(cursor: Cursor, depth: number): Read {
  const group = readAlternatives(cursor, depth + 1)
  if (!group.ok || take(cursor, ')')) return group
  return expected(cursor, '"and", "or" or ")"')
}

function readTest(cursor: Cursor): Read {
  const label = peekWord(cursor)
  if (label === '' || isKeyword(label)) return expected(cursor, 'a label, "not", "(" or "{}"')
  cursor.offset += label.length
  if (take(cursor, '=')) {
    const value = readComparedValue(cursor)
    return value.ok ? found({ kind: 'equal', label, value: value.value }) : value
  }
  if (take(cursor, '~')) {
    const pattern = readPattern(cursor)
    return pattern.ok ? found({ kind: 'match', label, pattern: pattern.value }) : pattern
  }
  return found({ kind: 'present', label })
}

function found(expression: LabelExpression): Read {
  return { ok: true, expression }
}
