import type { Revision } from './revision.ts'

/** `special`: a device, a pipe or a socket, which only a directory can hold. */
export type EntryKind = 'file' | 'directory' | 'symlink' | 'submodule' | 'special'

export type Entry = { readonly name: string; readonly kind: EntryKind }

/**
 * One immutable state of a manifests repository. Paths are relative to its root, separated by `/`,
 * without `.` or `..`; the root is the empty string. Reading never follows a symlink (G24).
 */
export type Snapshot = {
  readonly revision: Revision
  /**
   * What stands in a directory, sorted by name; empty when nothing stands at that path. Fails with `path-forbidden` or
   * `file-missing` when something else stands there: only what is missing is missing.
   */
  list(directory: string): Promise<readonly Entry[]>
  /** What a path is. A path that leads through a symlink is a `symlink`, through a submodule a `submodule`. */
  kind(path: string): Promise<EntryKind | 'missing'>
  /** A file's text. Fails with `file-missing`, `file-too-large`, `file-not-text` or `path-forbidden`. */
  read(path: string): Promise<string>
}
