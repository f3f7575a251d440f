import type { Position, Problem } from '../errors.ts'

/** How many objects and lists may stand inside one another (G24). */
export const deepest = 100

/** What to say where more do. */
export const tooDeep = `more than ${deepest} objects and lists stand inside one another`

/** One object holds the same key twice. */
export function duplicateKey(key: string, position: Position, first: Position): Problem {
  const message = `${JSON.stringify(key)} stands twice in one object, first in line ${first.line}`
  return { code: 'duplicate-key', message, position }
}

/** Sets a member as JSON.parse does: `__proto__` becomes a plain key and reaches no prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
