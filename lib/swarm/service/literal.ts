/** A template whose value is what begins a template. */
const escaped = '{{"{{"}}'

/**
 * Returns a text so that a Swarm means it literally. It takes variables, mounts and the host name of a service for
 * templates, which would tell of the node, or make a service impossible whose password has two braces.
 */
export function literal(text: string): string {
  return text.replaceAll('{{', escaped)
}

/** Returns the text that was meant by a literal. */
export function unescaped(text: string): string {
  return text.replaceAll(escaped, '{{')
}

/** Returns a value with all texts in it as literals, but not the names of its fields. */
export function withLiterals(value: unknown): unknown {
  if (typeof value === 'string') return literal(value)
  if (Array.isArray(value)) return value.map(withLiterals)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLiterals(one)]))
}
