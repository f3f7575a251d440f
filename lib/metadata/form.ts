import { malformed, type Parsed, parsed } from '../state/parsed.ts'

/** The fields of a form, by name, each as often as it is there. */
export type Form = ReadonlyMap<string, readonly Buffer[]>

/**
 * Reads a form in the encoding of URLs. Values are bytes, because what is signed need not be text: two values that
 * differ never become equal.
 */
export function parseForm(body: Buffer): Parsed<Form> {
  const fields = new Map<string, Buffer[]>()
  // Each byte is one character until the escapes are read.
  for (const pair of body.toString('latin1').split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = unescaped(at < 0 ? pair : pair.slice(0, at))
    const value = unescaped(at < 0 ? '' : pair.slice(at + 1))
    if (name === undefined || value === undefined)
      return malformed('The form is malformed: a "%" has to be followed by two hexadecimal digits.')
    const key = name.toString()
    fields.set(key, [...(fields.get(key) ?? []), value])
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

function unescaped(text: string): Buffer | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
