import { posix } from 'node:path'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/**
 * Parses an absolute path inside a container or on a host. Returns it normalised, without a slash at its end. It is not
 * the root.
 */
export function parsePath(text: string): Parsed<string> {
  if (text.includes('\0') || text.includes('\n')) return malformed('has a NUL or a line break in a path')
  if (!text.startsWith('/')) return malformed(`"${text}" is no absolute path`)
  if (text.split('/').includes('..')) return malformed(`"${text}" climbs with ".."`)
  const path = posix.normalize(text).replace(/\/$/, '')
  return path === '' || path === '/' ? malformed('is the root of the file system') : parsed(path)
}
