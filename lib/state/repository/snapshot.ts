import type { Revision } from './revision.ts'

/** `special`: a device, a pipe or a socket, which only a local directory can contain. */
export type EntryKind = 'file' | 'directory' | 'symlink' | 'submodule' | 'special'

export type Entry = { readonly name: string; readonly kind: EntryKind }

/** Something that stands at a path. */
export type EntryPlace = { readonly path: string; readonly kind: EntryKind }

/**
 * One immutable state of a manifests repository. Paths are relative to its root and separated by `/`, without `.` or
 * `..`; the root is the empty string. Reading never follows a symlink (G24).
 */
export type Snapshot = {
  readonly revision: Revision
  /**
   * Lists a directory, sorted by name; empty if there is nothing at that path. Fails with `path-forbidden` or
   * `file-missing` if there is something else, because that is not the same as nothing.
   */
  list(directory: string): Promise<readonly Entry[]>
  /**
   * Returns everything at any depth whose name is wanted, in no order. Fails with `repository-too-large` if the
   * repository has more files and directories than one may have, or deeper ones. What several paths share is looked
   * through once and counts once for each path.
   */
  named(isWanted: (name: string) => boolean): Promise<readonly EntryPlace[]>
  /**
   * Returns the kind of a path. A path through a symlink is a `symlink`, and a path through a submodule is a
   * `submodule`.
   */
  kind(path: string): Promise<EntryKind | 'missing'>
  /** Reads a file as text. Fails with `file-missing`, `file-too-large`, `file-not-text` or `path-forbidden`. */
  read(path: string): Promise<string>
}
