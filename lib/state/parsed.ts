/**
 * The result of parsing a text: a value, or the reason why there is none. The reason continues a sentence that begins
 * with the text.
 */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

/** Returns the value of a text. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

/** Returns the reason why a text has no value. */
export function malformed(reason: string): Parsed<never> {
  return { ok: false, reason }
}
