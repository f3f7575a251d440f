/** The record of a failed container, which explains the failure when the container is gone. It contains no secrets. */
export type PostMortem = {
  /** Its name on the engine. */
  readonly container: string
  /** The last exit code of its process; absent if it did not end. */
  readonly exitCode?: number
  /** The signal that ended it, as far as the exit code shows: `SIGKILL`. */
  readonly signal?: string
  /** The kernel killed it because it used up its memory. */
  readonly oomKilled: boolean
  /** Why the engine could not start it. */
  readonly error?: string
  /** How often the engine has restarted it. */
  readonly restarts: number
  /** The results of its health check, oldest first. */
  readonly checks: readonly { readonly exitCode: number; readonly output: string }[]
  /** Its last output, on both streams. */
  readonly lines: readonly string[]
}
