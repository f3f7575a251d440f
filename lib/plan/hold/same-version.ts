import type { Problem } from '../../errors.ts'
import { atOnceText } from '../../state/fleet/same-version.ts'
import { type Change, keyOf } from '../change/change.ts'
import type { Difference } from '../compare/diff.ts'
import type { Rules } from './hold.ts'

/**
 * Returns a warning for each application of which something changes and its version does not: no canary tries it, and it
 * waits for no batch, although new versions of the application do (A11). Pure.
 */
export function sameVersionWarnings(
  changes: readonly Change[],
  differences: readonly Difference[],
  { sameVersion }: Rules,
): readonly Problem[] {
  if (sameVersion === undefined || sameVersion.size === 0) return []
  const staying = new Set(differences.filter(isOfSameVersion).map(keyOf))
  const names = new Set(
    changes
      .filter(change => change.held === undefined && change.cause !== 'drifted' && staying.has(keyOf(change)))
      .map(({ application }) => application),
  )
  return [...sameVersion].flatMap(([application, same]) =>
    names.has(application) && same.isStepwise
      ? [{ code: 'version-unchanged' as const, message: `${application}: ${atOnceText(same)}` }]
      : [],
  )
}

/** Whether a difference is neither a repair, nor brings another version, nor completes what was begun. */
function isOfSameVersion({ kind, arrival, isInterrupted, isPastReturn }: Difference): boolean {
  return kind !== 'drifted' && arrival === undefined && !isInterrupted && isPastReturn !== true
}
