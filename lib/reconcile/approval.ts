import type { ApprovedItem } from '../journal/approvals.ts'
import { type Change, isPutBack, type Plan } from '../plan/change.ts'

export type ConfirmationRules = {
  /** What the root manifest says. */
  readonly skipConfirmation: boolean
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  /** `planId`: the plan it was given for. */
  readonly approved: readonly (ApprovedItem & { readonly planId: string })[]
  /** Instances that run in the environment, to notice a removal of most of them (G4). */
  readonly running: number
}

/** What may be done now, and what waits for a person. Changes that are held are in neither. */
export type Verdict = {
  readonly go: readonly Change[]
  readonly wait: readonly Change[]
  /** What of `go` rests on `skipConfirmation` alone: it is recorded as an approval of its own. */
  readonly skipped: readonly Change[]
}

/** Decides for each change of a plan whether it is covered, by an approval or by a rule (D3, D4, D9). Pure. */
export function judge(plan: Plan, rules: ConfirmationRules): Verdict {
  const due = plan.changes.filter(({ held }) => held === undefined)
  const massRemoval = isMassRemoval(due, rules.running)
  const basis = new Map(due.map(change => [change, basisOf(change, plan.id, rules, massRemoval)]))
  const having = (...wanted: readonly Basis[]) =>
    due.filter(change => wanted.includes(basis.get(change) ?? 'none'))
  return {
    go: having('approval', 'rule', 'skipConfirmation'),
    wait: having('none'),
    skipped: having('skipConfirmation'),
  }
}

/** What an approval of these changes covers. */
export function itemsOf(changes: readonly Change[]): readonly ApprovedItem[] {
  return changes.map(({ site, application, service, action, target }) => ({
    site,
    resource: `${application}/${service}`,
    action,
    target,
  }))
}

/** Whether a removal is among the changes: removals wait for a confirmation of their own (D3). */
export function isRemoval({ cause }: Change): boolean {
  return cause === 'orphaned'
}

type Basis = 'approval' | 'rule' | 'skipConfirmation' | 'none'

function basisOf(change: Change, planId: string, rules: ConfirmationRules, massRemoval: boolean): Basis {
  if (isCovered(change, approvedFor(change, planId, rules))) return 'approval'
  if (isPutBack(change)) return 'rule'
  // Only planned at all because the operator said so.
  if (change.cause === 'unneeded') return 'rule'
  if (isRemoval(change)) return rules.prune === 'auto' && !massRemoval ? 'rule' : 'none'
  if (change.cause === 'drifted' && rules.drift === 'repair') return 'rule'
  return rules.skipConfirmation ? 'skipConfirmation' : 'none'
}

/** Under `drift: confirm` the approval of a rollout does not cover the repair of what it made: each is asked for. */
function approvedFor(
  { cause }: Change,
  planId: string,
  { approved, drift }: ConfirmationRules,
): readonly ApprovedItem[] {
  return cause === 'drifted' && drift === 'confirm'
    ? approved.filter(item => item.planId === planId)
    : approved
}

/**
 * After a crash what is left may be a start where a create was approved: the target decides. A removal is only
 * covered by the approval of a removal.
 */
function isCovered(change: Change, approved: readonly ApprovedItem[]): boolean {
  const resource = `${change.application}/${change.service}`
  return approved.some(
    item =>
      item.site === change.site &&
      item.resource === resource &&
      item.target === change.target &&
      (item.action === 'remove') === (change.action === 'remove'),
  )
}

/** More than half of what runs, and more than one: too much to remove without a word (G4). */
function isMassRemoval(changes: readonly Change[], running: number): boolean {
  const removed = changes.filter(isRemoval).reduce((sum, { instances }) => sum + instances, 0)
  return removed > 1 && removed * 2 > running
}
