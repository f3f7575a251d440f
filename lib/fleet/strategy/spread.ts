import type { Deployment } from '../../state/fleet/deployment.ts'
import type { Spread } from './stand.ts'

/** Returns how a deployment brings a version to its sites (A30). */
export function spreadOf(
  { sitesInParallel, healthyMs, canary }: Deployment,
  canaries: readonly string[],
): Spread {
  if (sitesInParallel === undefined && canary === undefined) return { isAtOnce: true, healthyMs: 0 }
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
