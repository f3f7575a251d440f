/** Where a label expression is read. The offset only grows. */
export type Cursor = {
  readonly text: string
  offset: number
  /** Regular expressions so far. */
  patterns: number
  /** Parts of the regular expressions that were compiled so far. */
  patternParts: number
}

/** The first mistake in a label expression, and the offset in its text. */
export type ExpressionFault = {
  readonly ok: false
  readonly offset: number
  /** It continues a sentence that begins with the place of the expression. */
  readonly reason: string
}

/** Returns the mistake at the cursor: what was expected there, and what stands there. */
export function expected(cursor: Cursor, what: string): ExpressionFault {
  skipSpace(cursor)
  const end = cursor.offset === cursor.text.length
  const advice = isAfterNot(cursor) ? forNot : advices.find(({ found }) => matchAt(cursor, found) !== '')
  const found = end ? 'the end' : JSON.stringify(shown(cursor))
  return {
    ok: false,
    // After the last word, and not behind the line break that folded text ends with.
    offset: end ? cursor.text.trimEnd().length : cursor.offset,
    reason: `is no label expression: expected ${what}, found ${found}${advice === undefined ? '' : `; ${advice.words}`}`,
  }
}

/** Returns a mistake at an offset. */
export function fault(offset: number, reason: string): ExpressionFault {
  return { ok: false, offset, reason }
}

export function skipSpace(cursor: Cursor): void {
  cursor.offset += matchAt(cursor, /\s*/y).length
}

/** Returns the label or bare value at the cursor without taking it; empty if there is none. */
export function peekWord(cursor: Cursor): string {
  return matchAt(cursor, /[\p{L}\p{M}\p{N}_./:@+#%-]+/uy)
}

/** Takes a text if it stands at the cursor, after white space. */
export function take(cursor: Cursor, text: string): boolean {
  skipSpace(cursor)
  if (!cursor.text.startsWith(text, cursor.offset)) return false
  cursor.offset += text.length
  return true
}

/** Takes a keyword if it stands at the cursor, after white space. */
export function takeKeyword(cursor: Cursor, keyword: Keyword): boolean {
  skipSpace(cursor)
  return peekWord(cursor) === keyword && take(cursor, keyword)
}

export type Keyword = 'and' | 'or' | 'not'

export function isKeyword(word: string): word is Keyword {
  return word === 'and' || word === 'or' || word === 'not'
}

function matchAt({ text, offset }: Cursor, sticky: RegExp): string {
  sticky.lastIndex = offset
  return sticky.exec(text)?.[0] ?? ''
}

/** The word or character at the cursor. */
function shown(cursor: Cursor): string {
  return peekWord(cursor) || String.fromCodePoint(cursor.text.codePointAt(cursor.offset) ?? 0)
}

/** `NOT lab` is the label `NOT`, and then one word too many. */
function isAfterNot({ text, offset }: Cursor): boolean {
  return /(?:^|[\s(])N[oO][tT]\s$/.test(text.slice(Math.max(0, offset - 5), offset))
}

const forNot = { words: 'write "not"' }

/** What people write who know another language, and what to write in this one. */
const advices: readonly { readonly found: RegExp; readonly words: string }[] = [
  { found: /!=?/y, words: 'there is no "!=", write not (label = value)' },
  { found: /=/y, words: 'a label is compared with one "="' },
  {
    found: /(?:not\s+)?in(?:[^\p{L}\p{N}_./-]|$)/uy,
    words: 'there is no "in", write label = one or label = another',
  },
  { found: /&|A[nN][dD]\b/y, words: 'write "and"' },
  { found: /\||O[rR]\b/y, words: 'write "or"' },
  { found: /N[oO][tT]\b/y, ...forNot },
  { found: /[^\p{L}\p{N}\s()"']/uy, words: 'write a value with this character in quotes' },
]
