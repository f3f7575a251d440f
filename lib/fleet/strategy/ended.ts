import type { DeploymentRun, RunFact } from '../../state/fleet/run.ts'
import { endOf } from './stand.ts'

/** Why a version reaches no further site of its deployment, in words that continue a sentence about it. */
export type EndedVersion = { readonly reason: string; readonly sinceMs: number }

/** The newest run of a version, and the failures and words in it. */
export type JudgedRun = { readonly of: Pick<DeploymentRun, 'version'>; readonly facts: readonly RunFact[] }

/** Returns the versions that failed on a site of their deployment, or were aborted there (A33). Pure. */
export function endedAmong(runs: readonly JudgedRun[]): ReadonlyMap<string, EndedVersion> {
  return new Map(
    runs.flatMap(({ of, facts }) => {
      const end = endOf(facts)
      if (end === undefined) return []
      const reason = end.kind === 'failed' ? `failed on ${end.site}` : `was aborted by ${end.who}`
      return [[of.version, { reason, sinceMs: end.atMs }] as const]
    }),
  )
}
