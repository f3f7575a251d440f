/** One verified answer to the question which digest a reference has. */
export type RememberedResolution = {
  readonly reference: string
  /** The digest that the manifest demanded, if it demanded one. */
  readonly expected?: string
  readonly digest: string
  readonly commit: string
}

/**
 * Stands in place of a commit for an image that the operator names. No commit ever wants another one, so what its tag was
 * resolved to stays until the operator names another one.
 */
export const ofConfiguration = 'configuration'

/** The memory of verified resolutions, which the journal keeps. */
export type ResolutionStore = {
  /**
   * Returns the remembered digest. With `expected`, the answer for that very pair counts whatever the commit is,
   * because a verified pair stays verified (G21). Without it, only an answer for this very commit counts: a moved tag
   * is not followed without a commit, and a new commit does not get an older answer (X9).
   */
  find(query: {
    readonly reference: string
    readonly expected?: string
    readonly commit: string
  }): string | undefined
  /** Remembers an answer. The first one for a commit stays: a tag is resolved once per commit. */
  remember(entry: RememberedResolution): void
}
