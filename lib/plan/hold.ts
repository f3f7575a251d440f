import type { Job } from '../state/application.ts'
import type { DesiredState } from '../state/desired.ts'
import { label } from '../state/labels.ts'
import { type Held, keyOf } from './change.ts'
import type { Difference, Undecided } from './diff.ts'
import { isForTheOperator } from './external.ts'

/** What the operator's configuration and the journal say about acting. Keys are `site/application/service`. */
export type Rules = {
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  readonly quarantined: ReadonlyMap<string, Quarantine>
  /** Versions whose deploy failed, by `site/application/digest`. */
  readonly barred: ReadonlyMap<string, Barred>
  /** By application; `*` is the whole environment. */
  readonly suspended: ReadonlyMap<string, { readonly reason: string; readonly sinceMs: number }>
  /** Set when this very plan was just applied and is still due (G2). */
  readonly notConverging?: { readonly planId: string }
}

export type Quarantine = {
  readonly target: string
  readonly reason: string
  readonly sinceMs: number
  /** It failed after a mid hook began: what ran before is not started again (H29). */
  readonly isFinal?: boolean
}

/** A version whose deploy failed; it is not served until a person says `retry` (P6). */
export type Barred = { readonly reason: string; readonly sinceMs: number }

/** Why each difference is left alone for now; undefined for those to act on. */
export function holds(
  desired: DesiredState,
  differences: readonly Difference[],
  undecided: readonly Undecided[],
  rules: Rules,
): ReadonlyMap<Difference, Held> {
  const held = new Map<Difference, Held>()
  for (const difference of differences) {
    const reason = own(desired, difference, rules) ?? besideUnknown(difference, undecided)
    if (reason !== undefined) held.set(difference, reason)
  }
  const stuck = new Set([
    ...desired.blocked.map(({ application }) => application),
    ...undecided.map(({ application }) => application),
    ...[...held].filter(([{ kind }]) => kind !== 'orphaned').map(([{ application }]) => application),
  ])
  holdDependents(desired, differences, stuck, held)
  return held
}

function own(desired: DesiredState, difference: Difference, rules: Rules): Held | undefined {
  const { site, application, kind, target } = difference
  if (isForTheOperator(difference))
    return {
      code: 'ingress-unreachable',
      reason: `no container with the label ${label.ingress}=${desired.environment} runs`,
    }
  const suspended = rules.suspended.get(application) ?? rules.suspended.get('*')
  if (suspended !== undefined) return { code: 'suspended', ...suspended }
  if (kind === 'orphaned') {
    if (desired.applications.length === 0)
      return {
        code: 'empty-desired-state',
        reason: 'the manifest wants nothing at all; that never removes anything',
      }
    if (rules.prune === 'never')
      return { code: 'prune-never', reason: 'no longer in the manifest; "prune: never" only reports' }
    return undefined
  }
  const quarantined = rules.quarantined.get(keyOf(difference))
  if (quarantined?.target === target)
    return {
      code: 'quarantined',
      reason: quarantined.reason,
      sinceMs: quarantined.sinceMs,
      ...(quarantined.isFinal ? { isFinal: true } : {}),
    }
  if (difference.noPath !== undefined && difference.isRollout)
    return { code: 'no-upgrade-path', reason: difference.noPath }
  const barred =
    difference.isRollout && !difference.areJobsDone
      ? difference.jobs.flatMap(({ job }) => barredBy(site, application, job, rules)).at(0)
      : undefined
  if (barred !== undefined) return { code: 'barred', ...barred }
  if (kind === 'drifted' && rules.drift === 'report')
    return { code: 'drift-reported', reason: '"drift: report" only reports' }
  return undefined
}

function barredBy(site: string, application: string, job: Job, { barred }: Rules): readonly Barred[] {
  const { pin } = job.container.image
  if (job.stage !== 'deploy' || pin.state !== 'pinned') return []
  const found = barred.get(`${site}/${application}/${pin.digest}`)
  return found === undefined ? [] : [found]
}

/**
 * Nothing of an application changes while an image of it is unknown (D15); what the world broke is repaired all the
 * same, for that needs no registry.
 */
function besideUnknown(
  { site, application, kind }: Difference,
  undecided: readonly Undecided[],
): Held | undefined {
  if (kind === 'drifted' || kind === 'orphaned') return undefined
  const unknown = undecided.find(entry => entry.site === site && entry.application === application)
  return unknown && { code: 'digest-unknown', reason: unknown.reason }
}

/** A failed dependency stops its dependents and nothing else (G11). */
function holdDependents(
  desired: DesiredState,
  differences: readonly Difference[],
  stuck: Set<string>,
  held: Map<Difference, Held>,
): void {
  for (let grown = true; grown; ) {
    grown = false
    for (const { name, requires } of desired.applications) {
      const blocker = requires.find(({ application }) => stuck.has(application))
      if (blocker === undefined || stuck.has(name)) continue
      stuck.add(name)
      grown = true
      for (const difference of differences) {
        if (difference.application !== name || held.has(difference)) continue
        held.set(difference, {
          code: 'dependency-held',
          reason: `requires ${blocker.application}, which cannot be changed now`,
        })
      }
    }
  }
}
