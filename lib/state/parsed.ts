/** What a grammar makes of a text: a value, or the reason why not, in words that follow the text. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

/** The text means this. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value }
}

/** The text means nothing: `reason` says what is wrong with it. */
export function malformed(reason: string): Parsed<never> {
  return { ok: false, reason }
}
