import { posix } from 'node:path'
import type { Parsed } from '../state/parsed.ts'
import { malformed, parsed } from '../state/parsed.ts'
import { isDocumentName } from '../state/repository/layout.ts'

/**
 * Returns the path, from the root of the repository, that `include` means in the file `from`. It is relative to that
 * file (E12), never absolute and never outside of the repository (E14, G24). Of a directory that no git manages, only
 * documents are read, so it has to end like one. Does not check whether the file exists.
 */
export function resolveInclude(from: string, include: string): Parsed<string> {
  if (/[\u0000-\u001f\u007f]/.test(include)) return malformed('contains a control character')
  if (include.includes('\\')) return malformed('contains a backslash; write "/" between directories')
  if (include.startsWith('/')) return malformed('is absolute; write it relative to the file that includes it')
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(include))
    return malformed('is an address; only files of the repository')
  const path = posix.join(posix.dirname(from), include)
  if (path === '..' || path.startsWith('../')) return malformed('leads out of the repository')
  if (path === '.' || path.endsWith('/')) return malformed('names a directory; name a file')
  if (!isDocumentName(posix.basename(path))) return malformed('has another ending than .json')
  return parsed(path)
}
