/** Returns the fields with a value. Undefined, an empty list and an empty map count as absent (G2). */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const key in fields) {
    const value = fields[key]
    if (isPresent(value) && !isEmpty(value)) kept[key] = value
  }
  return kept
}

/** Whether a value is not undefined; for filters. */
export function isPresent<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
