import type { Position, Problem } from '../errors.ts'
import { limits } from '../limits.ts'

/** What is wrong with a file that exceeds a limit (G24). */
export type Excess = Omit<Problem, 'position'>

export const tooLong = excess(
  `has more than ${limits.documentCharacters} characters; at most so many are read in one file`,
)
export const tooMany = excess(`has more than ${limits.documentValues} values`)
export const tooDense = excess(
  `has more than ${limits.yamlTokens} words, separators and lines; as JSON a file may hold more`,
)
export const tooDeep: Excess = {
  ...excess(`more than ${limits.documentDepth} objects and lists stand inside one another`),
  hint: 'Nest the values less deeply.',
}

/** Only aliases make that many values and characters of a file that is not too long. */
export const tooManyRepeated = repeating(
  `has more than ${limits.documentValues} values, those that aliases repeat counted`,
)
export const tooMuchText = repeating(`expands to more than ${limits.unfoldedCharacters} characters`)

function excess(message: string): Excess {
  return { code: 'document-too-complex', message }
}

function repeating(message: string): Excess {
  const hint = 'Have aliases repeat less, or divide what the file holds among several files.'
  return { ...excess(message), hint }
}

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
