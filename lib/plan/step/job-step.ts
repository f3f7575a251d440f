import type { Job } from '../../state/application/application.ts'

/** What becomes of a job that was created: a container of a host, or a job of a Swarm, by its name. */
export type JobStep =
  /**
   * Starts a job and waits for its end. If it runs already, it is only waited for. If it ended well, it is not
   * started again (H22), unless `again` says so. Every failed try is reported. `timeoutMs` counts from its first start.
   */
  | {
      readonly do: 'run-to-end'
      readonly container: string
      readonly onFailure: Job['onFailure']
      readonly timeoutMs?: number
      readonly again?: true
      /** Where it belongs in a rollout; absent: it is an init container, which runs at each start of its instance. */
      readonly job?: Job['stage']
      /** For how long it has lasted when the step is carried out, in ms; no plan says so. */
      readonly lastedMs?: number
    }
  /** Waits for the end of a job that must not be interrupted (P7), without a limit. Starts nothing. */
  | { readonly do: 'await-end'; readonly container: string }
  /** Stops a hook of a rollout that was given up: TERM, and KILL after 10 s (H6). */
  | { readonly do: 'abort-hook'; readonly container: string }
  /** Removes a job that succeeded. On a host, the last few that failed are kept under another name (H9). */
  | { readonly do: 'put-away'; readonly container: string; readonly keep: number }
