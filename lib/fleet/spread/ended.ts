import type { JudgedRun, SiteFailed, WordGiven } from '../../state/fleet/run.ts'
import { whatEnded } from './facts/run-facts.ts'

/** Why a version reaches no further site of its deployment, in words that continue a sentence about it. */
export type EndedVersion = { readonly reason: string; readonly sinceMs: number }

/**
 * Returns the versions that failed on a site of their deployment, or were aborted there (A33). A version that failed on
 * the way to another one is one of them, unless it has begun anew since (A65). Pure.
 */
export function endedAmong(runs: readonly JudgedRun[]): ReadonlyMap<string, EndedVersion> {
  const newest = new Map(runs.map(({ of }) => [of.version, of.id]))
  return new Map(
    runs.flatMap(({ of, facts }) => {
      const end = whatEnded(facts)
      if (end === undefined) return []
      const step = end.kind === 'failed' ? end.step : undefined
      const isAgain = step !== undefined && (newest.get(step) ?? 0) > of.id
      const versions = step === undefined || isAgain ? [of.version] : [of.version, step]
      return versions.map(version => [version, endOf(end)] as const)
    }),
  )
}

function endOf(end: SiteFailed | WordGiven): EndedVersion {
  const reason = end.kind === 'failed' ? `failed on ${end.site}` : `was aborted by ${end.who}`
  return { reason, sinceMs: end.atMs }
}
