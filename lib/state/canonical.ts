import { hash } from 'node:crypto'

/**
 * Returns one spelling for equal values: keys are sorted, and absent is the same as undefined. Keys that are numbers
 * come first, in the order of the numbers. Fingerprints are hashes of it, so it never changes.
 */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(item => canonical(item ?? null)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields: Readonly<Record<string, unknown>> = { ...value }
  const members = sortedKeys(fields).flatMap(key =>
    fields[key] === undefined ? [] : `${JSON.stringify(key)}:${canonical(fields[key])}`,
  )
  return `{${members.join(',')}}`
}

/** The language lists the keys that are indexes first, by their numbers. */
function sortedKeys(fields: object): readonly string[] {
  const keys = Object.keys(fields)
  if (!isIndex(keys[0] ?? '')) return keys.sort()
  const indexes = keys.filter(isIndex)
  return [...indexes, ...keys.slice(indexes.length).sort()]
}

function isIndex(key: string): boolean {
  return /^\d/.test(key) && String(Number(key) >>> 0) === key && key !== '4294967295'
}

/** Returns the SHA-256 of the canonical spelling, in hex. */
export function hashOf(value: unknown): string {
  return hash('sha256', canonical(value), 'hex')
}
