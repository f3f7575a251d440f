import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a user by name or number, optionally with a group: `app`, `1000:1000`. */
export function parseUser(text: string): Parsed<string> {
  const [user = '', group = user, ...more] = text.split(':')
  if (more.length > 0 || !namePattern.test(user) || !namePattern.test(group))
    return malformed(`"${text}" is no user; write for example 1000:1000`)
  return [user, group].some(isTooLarge) ? malformed(`"${text}" has ${tooLarge}`) : parsed(text)
}

/** Parses a user by name or number, without a group. */
export function parseLoneUser(text: string): Parsed<string> {
  if (!namePattern.test(text))
    return malformed(`"${text}" is no user without a group; write for example 1000`)
  return isTooLarge(text) ? malformed(`"${text}" has ${tooLarge}`) : parsed(text)
}

/** Parses a group by name or number. */
export function parseGroup(text: string): Parsed<string> {
  if (!namePattern.test(text)) return malformed(`"${text}" is no group; write for example 1000`)
  return isTooLarge(text) ? malformed(`"${text}" has ${tooLarge}`) : parsed(text)
}

const namePattern = /^[a-z0-9_][a-z0-9_.-]*\$?$/i

/** The highest number of a user or a group that engines accept. */
const largest = 2 ** 31 - 1
const tooLarge = `a number above ${largest}, the last one that the engine takes`

function isTooLarge(name: string): boolean {
  return /^\d+$/.test(name) && Number(name) > largest
}
