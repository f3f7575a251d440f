/** A version of an application that reached a site. Entries of one site and application are ordered by their number. */
export type QueueEntry = {
  /** Increases with each entry, over all sites and applications. */
  readonly number: number
  /** Absent: the application has none. */
  readonly version?: string
  /** The commit in which it is specified. */
  readonly commit: string
  /** Regular expressions of `upgrade-from`: from which versions it can be reached; absent: from any (A42). */
  readonly from?: readonly string[]
  /** A person wants it outside of the windows, too (A66). */
  readonly isForced?: true
}
