import type { Secrets } from '../state/secrets.ts'
import type { Size } from './excess.ts'
import type { Policy } from './policy.ts'

/** What an application is built with, besides its specification. */
export type BuildContext = {
  /** What it is called on engines: what names of networks and volumes begin with. */
  readonly environment: string
  /** As the repository names it: what applications are told. */
  readonly environmentName: string
  /** In front of a `dockerName` without a registry. */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check must run, where nobody says otherwise. */
  readonly healthyMs: number
  /** What sandboxes run; a valid reference. */
  readonly sandboxImage: string
  readonly secrets: Secrets
  /** What the applications before it in the environment expand to; absent: there are none. */
  readonly taken?: Size
  /** How many specifications share what the environment may expand to; absent: this one is alone. */
  readonly specifications?: number
  /** Absent: there is no ingress, and nothing has a route. */
  readonly ingress?: {
    /** Where the addresses of gates are taken from. */
    readonly pool: string
    /** How long a request waits for an instance, where nobody says otherwise. */
    readonly holdMs: number
  }
}
