import { malformed, type Parsed, parsed } from '../state/parsed.ts'

/** The fields of a form, by name, each as often as it is there. */
export type Form = ReadonlyMap<string, readonly Buffer[]>

/** Nobody needs more than three. */
const mostFields = 64

/**
 * Reads a form in the encoding of URLs, in a time that grows with its length alone: all pods wait meanwhile. Values are
 * bytes, because what is signed need not be text: two values that differ never become equal.
 */
export function parseForm(body: Buffer): Parsed<Form> {
  const fields = new Map<string, Buffer[]>()
  let count = 0
  for (const pair of pairsOf(body)) {
    count += 1
    if (count > mostFields) return malformed(`The form has more than ${mostFields} fields.`)
    const at = pair.indexOf('=')
    const name = unescaped(at < 0 ? pair : pair.subarray(0, at))
    const value = unescaped(at < 0 ? pair.subarray(0, 0) : pair.subarray(at + 1))
    if (name === undefined || value === undefined)
      return malformed('The form is malformed: a "%" has to be followed by two hexadecimal digits.')
    const key = name.toString()
    const same = fields.get(key)
    if (same === undefined) fields.set(key, [value])
    else same.push(value)
  }
  return parsed(fields)
}

/** Returns the value of a field that is there exactly once and is not empty, or what is wrong, as a sentence. */
export function theField(form: Parsed<Form>, name: string): Parsed<Buffer> {
  if (!form.ok) return form
  const [value, ...others] = form.value.get(name) ?? []
  if (value === undefined) return malformed(`The form needs "${name}".`)
  if (others.length > 0) return malformed(`The form has "${name}" more than once.`)
  return value.length === 0 ? malformed(`The field "${name}" is empty.`) : parsed(value)
}

/** What is between two "&", unless it is nothing. */
function* pairsOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf('&', start)
    const end = found < 0 ? body.length : found
    if (end > start) yield body.subarray(start, end)
    start = end + 1
  }
}

const plus = 0x2b
const space = 0x20
const percent = 0x25

function unescaped(text: Buffer): Buffer | undefined {
  const bytes = Buffer.alloc(text.length)
  let length = 0
  for (let at = 0; at < text.length; at += 1) {
    let byte = text[at] ?? 0
    if (byte === plus) byte = space
    else if (byte === percent) {
      byte = 16 * digitOf(text[at + 1]) + digitOf(text[at + 2])
      if (Number.isNaN(byte)) return undefined
      at += 2
    }
    bytes[length] = byte
    length += 1
  }
  return bytes.subarray(0, length)
}

/** Returns what a hexadecimal digit means, or NaN. */
function digitOf(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const small = byte | 0x20
  return small >= 0x61 && small <= 0x66 ? small - 0x61 + 10 : Number.NaN
}
