import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/**
 * Parses a path of requests, and returns its one form, which Caddy compares: decoded and in lower case, without a slash
 * at its end unless it is `/`. `/%41PI/` becomes `/api`. A character that cannot stand in a path is also refused when
 * it is encoded: Caddy would take it for a pattern, or match only one level of the path.
 */
export function parseRequestPath(text: string): Parsed<string> {
  if (!text.startsWith('/')) return malformed(`"${text}" does not begin with a slash`)
  if (text.length > 1024) return malformed('is longer than 1,024 characters')
  if (!writtenPattern.test(text))
    return malformed(`"${text}" is no path; letters, digits and -._~!$&'()+,;=:@%/ stand in one`)
  const path = text
    .replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .toLowerCase()
  if (!plainPattern.test(path))
    return malformed(
      `"${text}" has an encoded character in it that no route has; letters, digits and -._~!$&'()+,;=:@/ may be encoded`,
    )
  if (path.split('/').some(part => part === '.' || part === '..'))
    return malformed(`"${text}" has a "." or ".." in it`)
  if (path.includes('//')) return malformed(`"${text}" has two slashes in a row`)
  return parsed(path === '/' ? path : path.replace(/\/$/, ''))
}

const writtenPattern = /^(?:[A-Za-z0-9\-._~!$&'()+,;=:@/]|%[0-9A-Fa-f]{2})+$/
const plainPattern = /^[a-z0-9\-._~!$&'()+,;=:@/]+$/
