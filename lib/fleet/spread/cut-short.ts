import type { Deployment } from '../../state/fleet/deployment.ts'

/** Returns a deployment with healthy times of at most `longestMs`; undefined: as they are written. */
export function cutShort(deployment: Deployment, longestMs: number | undefined): Deployment {
  if (longestMs === undefined) return deployment
  const { healthyMs, canary } = deployment
  const short = { ...deployment, healthyMs: Math.min(healthyMs, longestMs) }
  if (canary?.next.kind !== 'healthy') return short
  const next = { kind: 'healthy', healthyMs: Math.min(canary.next.healthyMs, longestMs) } as const
  return { ...short, canary: { ...canary, next } }
}
