/** The state of the repository that something was made from (G25). */
export type Revision = {
  /** What was asked for: a branch, a tag, a commit, or `working tree`. */
  readonly ref: string
  /** The full hash of the commit; `worktree-<hash of the contents>` for a local directory. */
  readonly commit: string
  readonly author: string
  /** The first line of the commit message. */
  readonly subject: string
  /** ISO 8601, UTC. */
  readonly time: string
  /** Whose signature was verified; absent if none is required. */
  readonly signedBy?: Signer
}

/** Returns as much of a commit as tells it from others. The name of a directory's contents is short already. */
export function shortCommit(commit: string): string {
  return isOfDirectory(commit) ? commit : commit.slice(0, 12)
}

/** Whether a name stands for files as they are, which cannot be read again later, and not for a commit. */
export function isOfDirectory(commit: string): boolean {
  return commit.startsWith(ofDirectory)
}

/** The beginning of what takes the place of a commit where files are read as they are. */
export const ofDirectory = 'worktree-'

/** `key`: the fingerprint of the key, as OpenPGP or OpenSSH prints it. */
export type Signer = { readonly name: string; readonly key: string }
