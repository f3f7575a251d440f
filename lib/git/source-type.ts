import type { Signer } from '../state/revision.ts'
import type { Snapshot } from '../state/snapshot.ts'
import type { GitAuth } from './credentials.ts'
import type { SignedObject, Verification } from './signature/verify.ts'

export type SourceConfig = {
  /** `http(s)://`, `ssh://`, `user@host:path`, `file://` or a path. */
  readonly url: string
  /** What the repository is known by, wherever it moves; absent: the path of its address. */
  readonly name?: string
  /** A branch, a tag or a commit's full name; absent: the default branch, or the working tree of a path. */
  readonly ref?: string
  readonly auth?: GitAuth
  /** Absent: nobody has to sign anything. */
  readonly verify?: Verification
}

/** Where manifests come from. All failures carry codes of their own; none names credentials. */
export type Source = {
  /** What the repository is known by: what the label `tallyman.source` says. */
  readonly name: string
  /** Where it is, normalised and without credentials. */
  readonly address: string
  /** The commit that the ref means now. */
  lookUp(signal: AbortSignal): Promise<string>
  /** The state of the repository at a commit, not only at the one last looked up. */
  snapshot(commit: string, signal: AbortSignal): Promise<Snapshot>
  /**
   * Who signed the commit, or the tag that led to it; absent where nobody has to. Fails with `signature-missing`,
   * `signature-bad`, `signature-untrusted`, `signing-keys-unusable`, as `snapshot` does or as programs do.
   */
  verify?(commit: string, signal: AbortSignal): Promise<Signer>
  /** Calls back after every change, until aborted; only where changes can be seen. */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>
}

/** A source under its address alone, which hands out what may be signed and does not judge it. */
export type Opened = Omit<Source, 'name' | 'verify'> & {
  /**
   * The commit itself, or the annotated tag that the ref was when it was last looked up and meant this commit. Fails with
   * `signature-missing` where there is no such thing, or as `snapshot` does.
   */
  signed(mode: Verification['mode'], commit: string, signal: AbortSignal): Promise<SignedObject>
}
