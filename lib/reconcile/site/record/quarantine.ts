import type { Journal } from '../../../journal/journal.ts'
import type { RecordedAttempt } from '../../../journal/services/attempts.ts'
import type { Quarantined } from '../../../journal/services/quarantine.ts'
import { keyOf } from '../../../plan/change/change.ts'
import type { DiffResult } from '../../../plan/compare/diff.ts'
import { isOfApplication } from '../../../plan/compare/target/release.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import { lapseWhere } from '../lapse-where.ts'

/** What is wanted on a site, and how it differs from that. */
type Seen = {
  readonly desired: DesiredState
  readonly diff: DiffResult
  readonly failed?: ReadonlySet<string> | undefined
}

/**
 * Puts a release that failed into quarantine (G5). It is not tried again until it is no longer wanted, or somebody says
 * so. `version`: what it brought, which has failed. `goal`: to which one that was on the way. Neither is forced any more.
 */
export function enterQuarantine(
  journal: Journal,
  entry: Quarantined,
  { version, goal }: { readonly version: string | undefined; readonly goal: string | undefined },
): void {
  const { environment, site, application, service } = entry
  const where = { environment, site, application, service }
  for (const one of [version, goal]) if (one !== undefined) journal.endForced({ ...where, version: one })
  if (version !== undefined) journal.noteVersionFailed({ ...where, version })
  journal.quarantine(entry)
}

/**
 * Returns the quarantines of a site that are over, because another release is wanted, or the service is no longer
 * declared. `failed`: applications that would go by way of a version that failed, which stay.
 */
export function leftQuarantines<T extends Quarantined>(
  quarantined: readonly T[],
  { desired: { blocked }, diff: { differences, inSync, undecided }, failed = new Set() }: Seen,
): readonly T[] {
  if (quarantined.length === 0) return []
  const declared = new Map(
    [...differences, ...inSync].flatMap(one =>
      one.declared === undefined ? [] : [[keyOf(one), one] as const],
    ),
  )
  const unsure = new Set([...blocked, ...undecided].map(one => one.application))
  return quarantined.filter(entry => {
    const key = keyOf(entry)
    if (failed.has(entry.application)) return false
    const wanted = declared.get(key)
    if (wanted !== undefined) return !isOfApplication(entry.release, wanted)
    return !unsure.has(entry.application)
  })
}

/** Ends one, and what was approved of its application before. */
export function leaveQuarantine(
  journal: Journal,
  left: Quarantined,
  attempt: RecordedAttempt | undefined,
  nowMs: number,
): void {
  journal.leaveQuarantine(left)
  lapseApproved(journal, left, attempt, nowMs)
}

/**
 * Lets what was approved of an application lapse that failed since. If the same is wanted again after something else,
 * somebody has to say again that it is to be tried (X18). What was approved once that had begun is what corrects it.
 * Removals are asked about apart.
 */
function lapseApproved(
  journal: Journal,
  left: Quarantined,
  attempt: RecordedAttempt | undefined,
  nowMs: number,
): void {
  const { begunAtMs = left.atMs } = attempt?.target === left.target ? attempt : {}
  lapseWhere(
    journal,
    left,
    journal.approvals(left.environment, left.site, nowMs),
    ({ application, action, atMs }) =>
      application === left.application && action !== 'remove' && atMs <= begunAtMs,
  )
}
