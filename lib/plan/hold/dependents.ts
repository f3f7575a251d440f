import type { DesiredState } from '../../state/application/desired.ts'
import { requiring } from '../../state/application/requiring.ts'
import type { Difference, DiffResult } from '../compare/diff.ts'
import type { Held } from './held.ts'

/** Returns what is held, and also what requires it (G11). */
export function withDependents(
  desired: DesiredState,
  { differences, undecided }: DiffResult,
  known: ReadonlyMap<Difference, Held>,
): ReadonlyMap<Difference, Held> {
  const held = new Map(known)
  const stuck = new Map<string, { readonly isQueued: boolean }>([
    ...[...held]
      .filter(([{ kind }]) => kind !== 'orphaned')
      .map(([{ application }, { isQueued }]) => [application, { isQueued: isQueued === true }] as const),
    ...[...desired.blocked, ...undecided].map(
      ({ application }) => [application, { isQueued: false }] as const,
    ),
  ])
  holdDependents(desired, differences, stuck, held)
  return held
}

/** A failed dependency stops its dependents and nothing else (G11). */
function holdDependents(
  desired: DesiredState,
  differences: readonly Difference[],
  stuck: Map<string, { readonly isQueued: boolean }>,
  held: Map<Difference, Held>,
): void {
  const byApplication = Map.groupBy(differences, ({ application }) => application)
  const dependents = requiring(desired.applications)
  // What is added to `stuck` comes up in this loop, too.
  for (const [one] of stuck) {
    for (const { name, requires } of dependents.get(one) ?? []) {
      const blockers = requires.filter(({ application }) => stuck.has(application))
      const [blocker] = blockers
      if (blocker === undefined || stuck.has(name)) continue
      // It comes by itself after what waits for its turn.
      const isQueued = blockers.every(({ application }) => stuck.get(application)?.isQueued)
      stuck.set(name, { isQueued })
      const reason = `requires ${blocker.application}, which cannot be changed now`
      const hold: Held = { code: 'dependency-held', reason, ...(isQueued ? { isQueued } : {}) }
      // What was begun before the other one had to wait is completed (A62).
      const goesOn = ({ isInterrupted }: Difference) => isQueued && isInterrupted
      for (const difference of byApplication.get(name) ?? [])
        if (!held.has(difference) && !goesOn(difference)) held.set(difference, hold)
    }
  }
}
