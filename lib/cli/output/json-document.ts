import { printableJson } from '../../text/printable.ts'

/**
 * Returns the lines of a value as `printableJson` prints it with an indent of two, in pieces: the entries of its lists
 * each by itself, so that a long document is never in memory as a whole (G24).
 */
export function* jsonDocument(value: unknown): Generator<string> {
  if (!isRecord(value)) {
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
    if (isList(field)) yield* listPieces(field)
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

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isList(value) && !('toJSON' in value)
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
