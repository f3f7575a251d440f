import { Failure } from '../../errors.ts'
import { gitLimits } from '../limits.ts'

/**
 * Splits a path inside a repository into its parts; the root has none. Fails with `path-forbidden` for anything that
 * could lead elsewhere: an absolute path, `.` or `..`, an empty part, a backslash, NUL (G24).
 */
export function splitPath(path: string): readonly string[] {
  if (path === '') return []
  const parts = path.split('/')
  const reason = forbidden(path, parts)
  if (reason !== undefined) throw new Failure('path-forbidden', `${path}: ${reason}`, { resource: path })
  return parts
}

function forbidden(path: string, parts: readonly string[]): string | undefined {
  if (path.includes('\0')) return 'the path contains NUL'
  if (/\\x[89a-f][0-9a-f]/.test(path)) return 'the path contains a name that is not UTF-8, or a backslash'
  if (path.includes('\\')) return 'the path contains a backslash'
  if (path.startsWith('/')) return 'the path is absolute'
  if (parts.includes('..')) return 'the path contains ".."'
  if (parts.some(part => part === '' || part === '.')) return 'the path has an empty part or "."'
  if (parts.length > gitLimits.depth) return `the path is more than ${gitLimits.depth} directories deep`
  return undefined
}
