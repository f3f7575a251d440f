import type { LabelExpression } from './expression.ts'

/** What an application deployment specification says: which sites run an application, and how a version spreads. */
export type Deployment = {
  readonly name: string
  readonly application: string
  /** Absent: whatever version the repository has, which is written "*". */
  readonly version?: string
  readonly placement: SitePlacement
  /** How many sites are changed at the same time; absent: all. */
  readonly sitesInParallel?: number
  /** How long a batch has to be healthy before the next one begins (A32). */
  readonly healthyMs: number
  /** Sites that get a version first; absent: none do (A31). */
  readonly canary?: Canary
  /**
   * Hash of everything else that the specification says, without `application-version`. If it or the version differs,
   * the deployment was updated, and its sites are evaluated again.
   */
  readonly revision: string
}

export type SitePlacement =
  | { readonly kind: 'all-sites' }
  | ({ readonly kind: 'match-site-labels' } & Matching)

/** A label expression, and the text that it was read from. */
export type Matching = { readonly expression: LabelExpression; readonly text: string }

export type Canary = Matching & {
  /** When the other sites follow: after a healthy time, or on a person's word. */
  readonly next: { readonly kind: 'healthy'; readonly healthyMs: number } | { readonly kind: 'word' }
}
