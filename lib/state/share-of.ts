/**
 * Returns a number of instances, or a percentage of all of them, rounded as in Kubernetes: `maxSurge` up,
 * `maxUnavailable` down.
 */
export function countOf(value: number | string, instances: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const share = (Number.parseFloat(value) * instances) / 100
  return round === 'up' ? Math.ceil(share) : Math.floor(share)
}
