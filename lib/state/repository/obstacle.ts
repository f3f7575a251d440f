import type { ErrorCode } from '../../errors/catalogue.ts'
import type { Problem } from '../../errors.ts'
import type { EntryKind } from './snapshot.ts'

/**
 * Returns the problem if something else is in the place of a file or directory. That is not the same as a missing one
 * (G24). Nobody named the path, so the hint says what belongs there.
 */
export function obstacle(
  kind: EntryKind,
  wanted: 'regular file' | 'directory',
): Pick<Problem, 'code' | 'message'> & { readonly hint: string } {
  const [code, what] = told(kind)
  return {
    code,
    message: `is ${what}`,
    hint: `Commit a ${wanted} in place of ${what.replace(/^a /, 'the ')}.`,
  }
}

function told(kind: EntryKind): readonly [code: ErrorCode, what: string] {
  switch (kind) {
    case 'file':
      return ['file-missing', 'a file']
    case 'directory':
      return ['file-missing', 'a directory']
    case 'symlink':
      return ['path-forbidden', 'a symlink']
    case 'submodule':
      return ['path-forbidden', 'a submodule']
    case 'special':
      return ['path-forbidden', 'a device, a pipe or a socket']
  }
}
