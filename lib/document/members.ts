import type { Position, Problem } from '../errors.ts'
import { limits } from '../limits.ts'

/** What is wrong with a file that exceeds a limit (G24). */
export const tooLong = `has more than ${limits.documentCharacters} characters; at most so many are read in one file`
export const tooMany = `has more than ${limits.documentValues} values, those that aliases repeat counted`
export const tooMuchText = `expands to more than ${limits.unfoldedCharacters} characters`
export const tooDense = `has more than ${limits.yamlTokens} words, separators and lines; as JSON a file may hold more`
export const tooDeep = `more than ${limits.documentDepth} objects and lists stand inside one another`

/** Returns the problem of an object with a duplicate key. */
export function duplicateKey(key: string, position: Position, first: Position): Problem {
  const message = `${JSON.stringify(key)} stands twice in one object, first in line ${first.line}`
  return { code: 'duplicate-key', message, position }
}

/** Sets a member as JSON.parse does: `__proto__` becomes a plain key and does not affect the prototype. */
export function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}
