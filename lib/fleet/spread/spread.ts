import type { Deployment } from '../../state/fleet/deployment.ts'

/** How a version gets from site to site. Durations are in milliseconds. */
export type Spread = {
  /** All sites may change at any time, without batches that wait for one another. */
  readonly isAtOnce?: true
  /** How many sites change at the same time; absent: all of them. */
  readonly sitesInParallel?: number
  /** How long a batch has to stay healthy before the next one is drawn. */
  readonly healthyMs: number
  /** Which sites go first, and what lets the others follow: time, or a person. */
  readonly canary?: { readonly sites: ReadonlySet<string>; readonly healthyMs: number | 'word' }
}

/**
 * Returns how a deployment brings a version to its sites (A30). One that only says for how long they have to stay healthy
 * has them all in one batch, which is watched.
 */
export function spreadOf(
  { sitesInParallel, healthyMs, canary }: Deployment,
  canaries: readonly string[],
): Spread {
  if (sitesInParallel === undefined && canary === undefined && healthyMs === 0)
    return { isAtOnce: true, healthyMs }
  return {
    ...(sitesInParallel === undefined ? {} : { sitesInParallel }),
    healthyMs,
    ...(canary === undefined
      ? {}
      : {
          canary: {
            sites: new Set(canaries),
            healthyMs: canary.next.kind === 'word' ? ('word' as const) : canary.next.healthyMs,
          },
        }),
  }
}
