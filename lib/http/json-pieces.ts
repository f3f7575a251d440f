import { isIterable } from '../object.ts'
import { printableJson } from '../text/printable.ts'

/** Of how many entries of a list a piece has something at most. */
const most = 100

/** Whether a value has a list somewhere that one piece cannot have. What is made entry by entry counts as one. */
export function isLong(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length > most || value.some(isLong)
  return isIterable(value) || Object.values(value).some(isLong)
}

/**
 * Returns a value as `printableJson` prints it on one line, in pieces, so that a long one is never in memory as a whole, and
 * somebody else may have a turn between them.
 */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!isLong(value)) yield printableJson(value)
  else if (isIterable(value)) yield* listPieces(value)
  else yield* fieldPieces(Object(value))
}

function* listPieces(list: Iterable<unknown>): Generator<string> {
  let before = '['
  let short: unknown[] = []
  function* told(pieces: Iterable<string>): Generator<string> {
    yield before
    yield* pieces
    before = ','
  }
  function* allShort(): Generator<string> {
    if (short.length > 0) yield* told([printableJson(short).slice(1, -1)])
    short = []
  }
  for (const entry of list) {
    const isPiece = isLong(entry)
    if (isPiece || short.length === most) yield* allShort()
    if (isPiece) yield* told(jsonPieces(entry))
    else short.push(entry)
  }
  yield* allShort()
  yield before === '[' ? '[]' : ']'
}

function* fieldPieces(value: object): Generator<string> {
  let before = '{'
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue
    yield `${before}${printableJson(name)}:`
    yield* jsonPieces(field)
    before = ','
  }
  yield '}'
}
