/** Whether a value is an object with keys: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value is a list, or makes its entries one by one. */
export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/**
 * Returns `{[name]: value}`, or an empty object without a value, to be spread into an object with an optional field.
 */
export function optional<K extends string, T>(name: K, value: T | undefined): { readonly [name in K]?: T } {
  const one: { [name in K]?: T } = {}
  if (value !== undefined) one[name] = value
  return one
}
