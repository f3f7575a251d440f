/**
 * From which versions a version may be reached (A42): regular expressions of `upgrade-from`, of which one has to match.
 * `any`: it names none.
 */
export type Paths = 'any' | readonly string[]

/**
 * A version of an application, in the order in which commits brought them to an environment (A65). A deployment that goes
 * back to an earlier version brings that once more (A12).
 */
export type VersionEntry = {
  /** Increases with each entry, over all applications. A version that comes again after another has a new one. */
  readonly number: number
  readonly version: string
  /** When it entered, or was wanted first. */
  readonly atMs: number
  /** A specification has it, and each time a deployment named another version, so that nobody has wanted it yet (A12). */
  readonly isUnwanted?: true
  /**
   * Increases with each change of the wanted version or of its content, over all applications: what entered early may be
   * wanted late. Absent: nobody has wanted it yet.
   */
  readonly wantedSeq?: number
  /** Somebody went back from it without a commit, and nobody has wanted it since. */
  readonly isLeft?: true
  /**
   * The commit that has it, and a hash of everything that it is there; absent: the version is no longer kept, or nobody
   * knows from where it may be reached.
   */
  readonly kept?: { readonly commit: string; readonly mark: string; readonly paths: Paths }
}

/**
 * What a person said about a version that waits on a site (A66). `forced`: it is installed outside of the windows.
 * `deleted`: it is not installed.
 */
export type QueueWord = {
  readonly environment: string
  readonly site: string
  readonly application: string
  readonly version: string
  /** The last entry that was meant, so that a version that comes again later is not; 0: it was none. */
  readonly entry: number
  readonly word: 'forced' | 'deleted'
  readonly who: string
  readonly atMs: number
}
