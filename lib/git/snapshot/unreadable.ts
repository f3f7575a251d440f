import { Failure } from '../../errors.ts'
import { obstacle } from '../../state/repository/obstacle.ts'
import type { EntryKind } from '../../state/repository/snapshot.ts'

/** Returns the failure for a path that is not a file. */
export function unreadable(path: string, kind: Exclude<EntryKind, 'file'> | 'missing'): Failure {
  switch (kind) {
    case 'missing':
      return new Failure('file-missing', `${path}: no such file`, { resource: path })
    case 'symlink':
      return new Failure('path-forbidden', `${path}: leads through a symlink`, { resource: path })
    case 'submodule':
      return new Failure('path-forbidden', `${path}: leads into a submodule`, { resource: path })
    case 'directory':
    case 'special': {
      const { code, message } = obstacle(kind, 'regular file')
      return new Failure(code, `${path}: ${message}`, { resource: path })
    }
  }
}

/** Returns the failure for a path that is not a directory. */
export function unlistable(path: string, kind: Exclude<EntryKind, 'directory'>): Failure {
  const { code, message } = obstacle(kind, 'directory')
  return new Failure(code, `${path}: ${message}, and a directory is looked for there`, {
    resource: path,
    hint: `Make ${path} a directory that holds the files themselves, or remove it.`,
  })
}

/**
 * Returns the failure for a repository or a directory of this machine that cannot be read.
 * @param reason the words of the system
 */
export function inaccessible(root: string, reason: string, cause: unknown): Failure {
  return new Failure('git-unreachable', `${root}: cannot be read: ${reason}`, {
    hint: 'Make sure that the user who runs tallyman can read the whole directory; tallyman tries again by itself.',
    cause,
  })
}
