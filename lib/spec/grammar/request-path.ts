import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** A path of requests, without a slash at its end unless it is all of it: `/`, `/api`, `/a/b.c`. */
export function parseRequestPath(text: string): Parsed<string> {
  if (!text.startsWith('/')) return malformed(`"${text}" does not begin with a slash`)
  if (text.length > 1024) return malformed('is longer than 1,024 characters')
  if (!pathPattern.test(text))
    return malformed(`"${text}" is no path; letters, digits and -._~!$&'()+,;=:@%/ stand in one`)
  if (text.split('/').some(part => part === '.' || part === '..'))
    return malformed(`"${text}" has a "." or ".." in it`)
  if (text.includes('//')) return malformed(`"${text}" has two slashes in a row`)
  return parsed(text === '/' ? text : text.replace(/\/$/, ''))
}

const pathPattern = /^(?:[A-Za-z0-9\-._~!$&'()+,;=:@/]|%[0-9A-Fa-f]{2})+$/
