/** One answer to "which digest is this reference", as it was verified. */
export type RememberedResolution = {
  readonly reference: string
  /** The digest the manifest demanded, when it demanded one. */
  readonly expected?: string
  readonly digest: string
  readonly commit: string
}

/** The memory of verified resolutions; the journal keeps it. */
export type ResolutionStore = {
  /**
   * The remembered digest. With `expected`: of that very pair, whatever the commit, because a verified pair
   * stays verified (G21). Without: only what was resolved for this very commit, so that a tag that moves is
   * not followed without a commit, nor a commit held to an older answer (X9).
   */
  find(query: {
    readonly reference: string
    readonly expected?: string
    readonly commit: string
  }): string | undefined
  /** The first answer stands: a tag is resolved once per commit. */
  remember(entry: RememberedResolution): void
}
