import type { Difference } from '../../../../plan/compare/diff.ts'
import { isoText } from '../../../../text/time.ts'
import type { ApplicationStatus } from '../application-status.ts'

/** Says of the applications whose upgrade is due when the open window closes that it needs (G13). */
export function withWindowEnds(
  all: readonly ApplicationStatus[],
  differences: readonly Pick<Difference, 'application' | 'arrival'>[],
  closesMs: number | undefined,
): readonly ApplicationStatus[] {
  if (closesMs === undefined) return all
  const upgraded = new Set(
    differences.flatMap(({ application, arrival }) => (arrival === 'upgrade' ? [application] : [])),
  )
  const windowEnds = isoText(closesMs)
  return all.map(one =>
    one.sync !== 'Synced' && upgraded.has(one.application) ? { ...one, windowEnds } : one,
  )
}
