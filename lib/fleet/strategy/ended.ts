import type { JudgedRun } from '../../state/fleet/run.ts'
import { whatEnded } from './run-facts.ts'

/** Why a version reaches no further site of its deployment, in words that continue a sentence about it. */
export type EndedVersion = { readonly reason: string; readonly sinceMs: number }

/** Returns the versions that failed on a site of their deployment, or were aborted there (A33). Pure. */
export function endedAmong(runs: readonly JudgedRun[]): ReadonlyMap<string, EndedVersion> {
  return new Map(
    runs.flatMap(({ of, facts }) => {
      const end = whatEnded(facts)
      if (end === undefined) return []
      const reason = end.kind === 'failed' ? `failed on ${end.site}` : `was aborted by ${end.who}`
      return [[of.version, { reason, sinceMs: end.atMs }] as const]
    }),
  )
}
