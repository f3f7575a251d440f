import type { Secrets } from '../state/secrets.ts'
import type { Policy } from './policy.ts'

/** What an application is built with, besides its specification. */
export type BuildContext = {
  readonly environment: string
  /** In front of a `dockerName` without a registry. */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check must run, where nobody says otherwise. */
  readonly healthyMs: number
  /** What sandboxes run; a valid reference. */
  readonly sandboxImage: string
  readonly secrets: Secrets
  /** Absent: there is no ingress, and nothing has a route. */
  readonly ingress?: {
    /** Where the addresses of gates are taken from. */
    readonly pool: string
    /** How long a request waits for an instance, where nobody says otherwise. */
    readonly holdMs: number
  }
}
