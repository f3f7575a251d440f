import type { GitAuth } from '../state/repository/git-auth.ts'
import type { Signer } from '../state/repository/revision.ts'
import type { Snapshot } from '../state/repository/snapshot.ts'
import type { SignedObject, Verification } from './signature/verify.ts'
import type { Writing } from './writing.ts'

export type SourceConfig = {
  /** `http(s)://`, `ssh://`, `user@host:path`, `file://` or a path. */
  readonly url: string
  /** The name that identifies the repository wherever it moves; absent: the path of its address. */
  readonly name?: string
  /** A branch, a tag or the name of a commit; absent: the default branch, or the working tree of a path. */
  readonly ref?: string
  readonly auth?: GitAuth
  /** Absent: signatures are not required. */
  readonly verify?: Verification
}

/** The place that manifests come from. All failures have codes of their own, and none shows credentials. */
export type Source = {
  /** The name that identifies the repository, as in the label `tallyman.source`. */
  readonly name: string
  /** The address, normalised and without credentials. */
  readonly address: string
  /** Returns the commit that the ref means now. */
  lookUp(signal: AbortSignal): Promise<string>
  /** Returns the state of the repository at any commit, not only at the last one that was looked up. */
  snapshot(commit: string, signal: AbortSignal): Promise<Snapshot>
  /**
   * Copies a commit, so that it can be read while its place is gone. Absent: what was read once can be read again, or
   * nothing of the place can. Fails as `snapshot` does, or with `git-store-unwritable`.
   */
  keep?(commit: string): Promise<void>
  /**
   * Returns who signed the commit, or the tag that led to it; absent if signatures are not required. Fails with
   * `signature-missing`, `signature-bad`, `signature-untrusted`, `signing-keys-unusable`, `git-store-unwritable`, as
   * `snapshot` does or as programs do.
   */
  verify?(commit: string, signal: AbortSignal): Promise<Signer>
  /** Calls back after every change, until aborted; absent if changes cannot be watched. */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>
  /** Absent: there is nothing that a commit could be added to. */
  readonly writing?: Writing
}

/** A source that is known by its address only. It returns what may be signed and does not verify it. */
export type OpenedSource = Omit<Source, 'name' | 'verify'> & {
  /**
   * Returns the commit itself, or the annotated tag that the ref was when it was last looked up and meant this commit.
   * Fails with `signature-missing` if there is no such object, or as `snapshot` does.
   */
  signed(mode: Verification['mode'], commit: string, signal: AbortSignal): Promise<SignedObject>
}
