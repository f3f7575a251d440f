import type { Problem } from '../errors.ts'
import type { EntryKind } from './snapshot.ts'

/**
 * Returns the problem if something else is in the place of a file or directory. That is not the same as a missing one
 * (G24).
 */
export function obstacle(kind: EntryKind): Pick<Problem, 'code' | 'message'> {
  switch (kind) {
    case 'file':
      return { code: 'file-missing', message: 'is a file' }
    case 'directory':
      return { code: 'file-missing', message: 'is a directory' }
    case 'symlink':
      return { code: 'path-forbidden', message: 'is a symlink' }
    case 'submodule':
      return { code: 'path-forbidden', message: 'is a submodule' }
    case 'special':
      return { code: 'path-forbidden', message: 'is a device, a pipe or a socket' }
  }
}
