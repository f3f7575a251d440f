import { sumOf } from '../../../numbers.ts'
import type { SwarmService } from '../../../state/application/swarm/swarm-service.ts'

/**
 * Returns what a service should have, as one value: the fingerprints of its instances with their numbers, whatever
 * order they are given in, and the marks of what changes while they run, if there is any. `absent` for none.
 */
export function targetOf(fingerprints: readonly string[], marks: Marks = {}): string {
  if (fingerprints.length === 0) return 'absent'
  const instances = [...Map.groupBy(fingerprints, fingerprint => fingerprint)]
    .map(([fingerprint, same]) => `${same.length}×${fingerprint}`)
    .sort()
  const changing = [
    ...(marks.routes === undefined ? [] : [`routes:${marks.routes}`]),
    ...(marks.reached === undefined ? [] : [`reached:${marks.reached}`]),
  ]
  return [...instances, ...changing].join(' ')
}

/** Returns a fingerprint once for each instance that one stands for: on a Swarm, it is one for all. */
export function eachOf(
  fingerprint: string,
  { runs }: { readonly runs?: Pick<SwarmService, 'replicas'> | undefined },
): readonly string[] {
  const count = typeof runs?.replicas === 'number' ? runs.replicas : 1
  return Array.from({ length: count }, () => fingerprint)
}

/** What a service has that no fingerprint contains: routes that it loads, and networks on which others reach it. */
export type Marks = { readonly routes?: string | undefined; readonly reached?: string | undefined }

/** Returns how many instances with a fingerprint a target has. */
export function countIn(target: string, fingerprint: string): number {
  const entry = target.split(' ').find(entry => entry.endsWith(`×${fingerprint}`))
  return entry === undefined ? 0 : Number.parseInt(entry, 10)
}

/** Returns how many instances a target has. */
export function instancesInTarget(target: string): number {
  return sumOf(target.split(' '), entry => (entry.includes('×') ? Number.parseInt(entry, 10) : 0))
}

/** Returns a target without the marks of what changes while its instances run. */
export function withoutMarks(target: string): string {
  const instances = target.split(' ').filter(entry => entry.includes('×'))
  return instances.length === 0 ? 'absent' : instances.join(' ')
}
