import { isIterable } from '../../object.ts'
import { printableJson } from '../../text/printable.ts'

/**
 * Returns the lines of a value as `printableJson` prints it with an indent of two, in pieces: the entries of its lists
 * each by itself, so that a long document is never in memory as a whole (G24).
 */
export function* jsonDocument(value: unknown): Generator<string> {
  if (!hasFields(value)) {
    yield `${printableJson(value, 2)}\n`
    return
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) {
    yield '{}\n'
    return
  }
  let before = '{'
  for (const [name, field] of fields) {
    yield `${before}\n  ${printableJson(name)}: `
    if (isIterable(field)) yield* listPieces(field)
    else yield below(field, '  ')
    before = ','
  }
  yield '\n}\n'
}

function* listPieces(list: Iterable<unknown>): Generator<string> {
  let before = '['
  for (const entry of list) {
    yield `${before}\n    ${below(entry, '    ')}`
    before = ','
  }
  yield before === '[' ? '[]' : '\n  ]'
}

/** Texts in JSON have no line breaks of their own, so each begins a line of the document. */
function below(value: unknown, margin: string): string {
  return printableJson(value, 2).replaceAll('\n', `\n${margin}`)
}

function hasFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isIterable(value) && !('toJSON' in value)
}
