/** Which state of the repository something was made from (G25). */
export type Revision = {
  /** What was asked for: a branch, a tag, a commit, or `working tree`. */
  readonly ref: string
  /** The commit's full hash; `worktree-<hash of the contents>` for a local directory. */
  readonly commit: string
  readonly author: string
  /** The first line of the commit message. */
  readonly subject: string
  /** ISO 8601, UTC. */
  readonly time: string
  /** Whose signature on it was verified; absent where none is demanded. */
  readonly signedBy?: Signer
}

/** `key`: its fingerprint, as OpenPGP or OpenSSH prints it. */
export type Signer = { readonly name: string; readonly key: string }
