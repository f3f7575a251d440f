import type { Position, Problem } from '../errors.ts'
import { InvalidInput } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Document, Located, ValuePlace } from './document.ts'
import { createDocument, objectPlace } from './document.ts'
import { locator } from './locate.ts'
import { duplicateKey, type Excess, setOwn, tooDeep, tooLong, tooMany } from './members.ts'

/**
 * Reads strict JSON (RFC 8259): no comments, no trailing commas, no byte order mark, no key twice in one object (E2).
 * Fails with `InvalidInput` (`json-invalid`, `duplicate-key`, `document-too-complex`), which contains every duplicate
 * key, and the first mistake in the syntax.
 */
export function parseJson(file: string, text: string): Document {
  const cursor: Cursor = { text, offset: 0, values: 0, problems: [], locate: locator(file, text) }
  if (text.length > limits.documentCharacters) stop(cursor, tooLong)
  if (text.startsWith('\ufeff'))
    stop(cursor, 'begins with a byte order mark, which JSON does not have; save the file without it')
  skipSpace(cursor)
  const root = readValue(cursor, 0)
  skipSpace(cursor)
  if (cursor.offset < text.length) stop(cursor, `expected the end of the file, found ${found(cursor)}`)
  const [first, ...more] = cursor.problems
  if (first !== undefined) throw new InvalidInput([first, ...more])
  return createDocument(file, root, cursor, cursor.values)
}

type Cursor = {
  readonly text: string
  offset: number
  values: number
  /** Duplicate keys. Reading continues after them. */
  readonly problems: Problem[]
  readonly locate: (offset: number) => Position
}

function readValue(cursor: Cursor, depth: number): Located {
  if (depth > limits.documentDepth) stop(cursor, tooDeep)
  cursor.values += 1
  if (cursor.values > limits.documentValues) stop(cursor, tooMany)
  switch (cursor.text[cursor.offset]) {
    case '{':
      return readObject(cursor, depth)
    case '[':
      return readList(cursor, depth)
    case '"': {
      const offset = cursor.offset
      return { value: readString(cursor), place: { offset } }
    }
    default:
      return readWord(cursor)
  }
}

function readObject(cursor: Cursor, depth: number): Located {
  const { offset } = cursor
  const value: Record<string, unknown> = {}
  const children = new Map<string, ValuePlace>()
  readItems(cursor, '}', () => {
    const keyOffset = cursor.offset
    if (cursor.text[keyOffset] !== '"')
      stop(cursor, `expected a key in double quotes, found ${found(cursor)}`)
    const key = readString(cursor)
    skipSpace(cursor)
    if (cursor.text[cursor.offset] !== ':') stop(cursor, `expected ":" after the key, found ${found(cursor)}`)
    cursor.offset++
    skipSpace(cursor)
    const member = readValue(cursor, depth + 1)
    const first = children.get(key)?.keyOffset
    if (first !== undefined)
      cursor.problems.push(duplicateKey(key, cursor.locate(keyOffset), cursor.locate(first)))
    children.set(key, { ...member.place, keyOffset })
    setOwn(value, key, member.value)
  })
  return { value, place: objectPlace(offset, children) }
}

function readList(cursor: Cursor, depth: number): Located {
  const { offset } = cursor
  const value: unknown[] = []
  const children: ValuePlace[] = []
  readItems(cursor, ']', () => {
    const element = readValue(cursor, depth + 1)
    value.push(element.value)
    children.push(element.place)
  })
  // A list that grew has room for many more.
  return { value: [...value], place: { offset, children: [...children] } }
}

/** Reads from the opening bracket to the end of the closing one. `readItem` reads one item between commas. */
function readItems(cursor: Cursor, close: '}' | ']', readItem: () => void): void {
  cursor.offset++
  skipSpace(cursor)
  let isFirst = true
  while (cursor.text[cursor.offset] !== close) {
    if (!isFirst) readComma(cursor, close)
    readItem()
    skipSpace(cursor)
    isFirst = false
  }
  cursor.offset++
}

function readComma(cursor: Cursor, close: '}' | ']'): void {
  const comma = cursor.offset
  if (cursor.text[comma] !== ',') stop(cursor, `expected "," or "${close}", found ${found(cursor)}`)
  cursor.offset++
  skipSpace(cursor)
  if (cursor.text[cursor.offset] !== close) return
  cursor.offset = comma
  stop(cursor, `a comma before "${close}" is not allowed in JSON`)
}

function readString(cursor: Cursor): string {
  const { text, offset: start } = cursor
  let isPlain = true
  for (cursor.offset++; text[cursor.offset] !== '"'; ) {
    const code = text.charCodeAt(cursor.offset)
    if (code === backslash) {
      isPlain = false
      cursor.offset += escapeLength(cursor)
    } else if (code >= firstPrintable) {
      cursor.offset++
    } else {
      stop(cursor, `expected the closing quote of a string, found ${found(cursor)}`)
    }
  }
  cursor.offset++
  return isPlain
    ? text.slice(start + 1, cursor.offset - 1)
    : String(JSON.parse(text.slice(start, cursor.offset)))
}

const backslash = 0x5c
const firstPrintable = 0x20

function escapeLength(cursor: Cursor): number {
  const length = matchAt(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y, cursor).length
  if (length === 0) stop(cursor, 'a backslash that begins no escape of JSON')
  return length
}

function readWord(cursor: Cursor): Located {
  const { offset } = cursor
  const word = matchAt(/[^\s,:"{}[\]]+/y, cursor)
  if (!/^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/.test(word))
    stop(cursor, `expected a value, found ${found(cursor)}`)
  cursor.offset += word.length
  return { value: JSON.parse(word), place: { offset, ...(word === 'null' ? {} : { spelling: word }) } }
}

function skipSpace(cursor: Cursor): void {
  while (isSpace(cursor.text.charCodeAt(cursor.offset))) cursor.offset++
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Returns what a sticky pattern matches at the cursor; empty if it does not match. */
function matchAt(pattern: RegExp, { text, offset }: Cursor): string {
  pattern.lastIndex = offset
  return pattern.exec(text)?.[0] ?? ''
}

function found(cursor: Cursor): string {
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.offset) ?? 0)
  if (cursor.offset >= cursor.text.length) return 'the end of the file'
  if (character === '\n' || character === '\r') return 'the end of the line'
  if (character === '"') return 'a string'
  const word = matchAt(/[^\s,:"{}[\]]{1,40}/y, cursor)
  if (word.startsWith('//') || word.startsWith('/*') || word.startsWith('#'))
    return 'a comment, which JSON does not have'
  return JSON.stringify(word === '' ? character : word)
}

function stop({ problems, locate, offset }: Cursor, what: string | Excess): never {
  const said = typeof what === 'string' ? ({ code: 'json-invalid', message: what } as const) : what
  const last: Problem = { ...said, position: locate(offset) }
  const [first = last, ...more] = [...problems, last]
  throw new InvalidInput([first, ...more])
}
