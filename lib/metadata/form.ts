/** The fields of a form, by name, each as often as it is there. */
export type Form = ReadonlyMap<string, readonly Buffer[]>

/**
 * Reads a form in the encoding of URLs. Values are bytes, because what is signed need not be text: two values that
 * differ never become equal. Undefined if it is malformed.
 */
export function parseForm(body: Buffer): Form | undefined {
  const fields = new Map<string, Buffer[]>()
  // Each byte is one character until the escapes are read.
  for (const pair of body.toString('latin1').split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = unescaped(at < 0 ? pair : pair.slice(0, at))
    const value = unescaped(at < 0 ? '' : pair.slice(at + 1))
    if (name === undefined || value === undefined) return undefined
    const key = name.toString()
    fields.set(key, [...(fields.get(key) ?? []), value])
  }
  return fields
}

/** Returns the value of a field that is there exactly once. */
export function theField(form: Form, name: string): Buffer | undefined {
  const [value, ...others] = form.get(name) ?? []
  return others.length === 0 ? value : undefined
}

function unescaped(text: string): Buffer | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined
  const bytes = text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
