/** What is kept of a container that failed, so that it can be understood when the container is gone. No secrets. */
export type PostMortem = {
  /** Its name on the engine. */
  readonly container: string
  /** How its process ended last; absent when it did not. */
  readonly exitCode?: number
  /** By whose signal, as far as the exit code tells: `SIGKILL`. */
  readonly signal?: string
  /** The kernel killed it because it used up its memory. */
  readonly oomKilled: boolean
  /** Why the engine could not start it. */
  readonly error?: string
  /** How often the engine has started it again. */
  readonly restarts: number
  /** What its health check said, oldest first. */
  readonly checks: readonly { readonly exitCode: number; readonly output: string }[]
  /** What it wrote last, both streams. */
  readonly lines: readonly string[]
}
