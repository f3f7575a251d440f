import type { Snapshot } from '../state/snapshot.ts'
import type { GitAuth } from './credentials.ts'

export type SourceConfig = {
  /** `http(s)://`, `file://` or a path. */
  readonly url: string
  /** A branch, a tag or a commit's full name; absent: the default branch, or the working tree of a path. */
  readonly ref?: string
  readonly auth?: GitAuth
}

/** Where manifests come from. All failures carry codes of their own; none names credentials. */
export type Source = {
  /** The normalised address without credentials: what the label `tallyman.source` says. */
  readonly name: string
  /** The commit that the ref means now. */
  lookUp(signal: AbortSignal): Promise<string>
  /** The state of the repository at a commit, not only at the one last looked up. */
  snapshot(commit: string, signal: AbortSignal): Promise<Snapshot>
  /** Calls back after every change, until aborted; only where changes can be seen. */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>
}
