/** A version of an application failed on a site. */
export type FailedVersion = {
  readonly site: string
  readonly reason: string
  /** In ms since 1970. */
  readonly atMs: number
}
