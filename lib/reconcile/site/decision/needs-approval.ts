import type { ApprovedItem } from '../../../journal/decisions/approved-targets.ts'
import { sumOf } from '../../../numbers.ts'
import { type After, type Change, isAsked, isBack, keyOf, type Plan } from '../../../plan/change/change.ts'
import { behindOf } from './behind.ts'

export type ConfirmationRules = {
  /** The setting of the root manifest. */
  readonly skipConfirmation: boolean
  readonly prune: 'confirm' | 'auto' | 'never'
  readonly drift: 'repair' | 'report' | 'confirm'
  /** What is approved on the site. `planId`: the plan of the site for which the approval was given. */
  readonly approved: readonly (ApprovedItem & { readonly planId: string })[]
  /** What was begun and not ended: it was allowed then, and is completed without another question. Absent: nothing. */
  readonly begun?: readonly ApprovedItem[]
  /** Whether a person discarded this plan at this commit: what is not covered no longer waits. */
  readonly discarded?: boolean
  /** The number of running instances in the environment, to notice a removal of most of them (G4). */
  readonly running: number
}

/**
 * Which changes may be made now, which wait for a person, and which were declined. Changes that are held, or come after
 * one that waits or was declined, are in none of the lists; but those that wait for their turn wait for a person too, as
 * long as nobody has allowed them (X18).
 */
export type Verdict = {
  readonly go: readonly Change[]
  readonly wait: readonly Change[]
  /** What a person declined. It does not wait. */
  readonly declined: readonly Change[]
  /** The part of `go` that only `skipConfirmation` allows. It is recorded as an approval of its own. */
  readonly skipped: readonly Change[]
  /** What comes after something that waits or was declined, and has to succeed first: by key, what it comes after. */
  readonly behind: ReadonlyMap<string, After>
}

/** Decides for each change of a plan whether an approval or a rule covers it (D3, D4, D9). Pure. */
export function judge(plan: Plan, rules: ConfirmationRules): Verdict {
  const due = plan.changes.filter(isAsked)
  const massRemoval = isMassRemoval(due, rules.running)
  const approved = Map.groupBy(rules.approved, ({ resource }) => resource)
  const basis = new Map<Change, Basis>()
  const waiting = new Set<string>()
  // What goes with others comes after them.
  for (const change of due) {
    const given = approvedFor(
      change,
      plan.id,
      approved.get(`${change.application}/${change.service}`) ?? [],
      rules,
    )
    const found = isCovered(change, given)
      ? 'approval'
      : change.goesWithLast === true
        ? basisWith(change, waiting)
        : basisOf(change, rules, massRemoval)
    basis.set(change, found)
    if (found === 'none') waiting.add(keyOf(change))
  }
  const having = (...wanted: readonly Basis[]) =>
    due.filter(change => wanted.includes(basis.get(change) ?? 'none'))
  const wait = having('none')
  const behind = behindOf(
    wait,
    due.filter(change => !hasBegun(change, rules)),
  )
  const going = (...wanted: readonly Basis[]) =>
    having(...wanted).filter(change => change.held === undefined && !behind.has(keyOf(change)))
  return {
    go: going('approval', 'rule', 'skipConfirmation'),
    wait: rules.discarded === true ? [] : wait,
    declined: rules.discarded === true ? wait : [],
    skipped: going('skipConfirmation'),
    behind,
  }
}

/**
 * Returns a verdict in which what a person declined is still declined: the plan is another one only because something else
 * is kept as it was, or goes on. Pure.
 */
export function stillDeclined(verdict: Verdict, declined: readonly Change[]): Verdict {
  if (declined.length === 0) return verdict
  const known = new Set(declined.map(nameOfChange))
  const isKnown = (change: Change) => known.has(nameOfChange(change))
  return {
    ...verdict,
    wait: verdict.wait.filter(change => !isKnown(change)),
    declined: [...verdict.declined, ...verdict.wait.filter(isKnown)],
  }
}

function nameOfChange(change: Change): string {
  return `${keyOf(change)} ${change.action === 'remove'} ${change.release}`
}

/**
 * Returns the items that an approval of these changes covers, each once: them, and what comes after those that are steps
 * on the way to another version (X18).
 */
export function itemsOf(changes: readonly Change[]): readonly ApprovedItem[] {
  const items = changes.flatMap(
    ({ application, service, action, release, walk }): readonly ApprovedItem[] => [
      { resource: `${application}/${service}`, action, release },
      ...(walk?.later ?? []).map(later => ({
        ...{ resource: `${application}/${later.service}`, action: 'replace' as const },
        release: later.release,
      })),
    ],
  )
  return onceEach(items)
}

function onceEach<T extends ApprovedItem>(items: readonly T[]): readonly T[] {
  const keyed = items.map(
    item => [`${item.resource} ${item.release} ${item.action === 'remove'}`, item] as const,
  )
  return [...new Map(keyed).values()]
}

/** A change that waits for a person, as an approval names it. */
export type WaitingItem = ApprovedItem & {
  /** Whether it removes something: that is confirmed apart (D3). */
  readonly isRemoval: boolean
  /** It waits for its turn or its window, and is made then; or other steps, which may have to wait, come after it. */
  readonly isQueued?: true
}

/** Returns the items that changes which wait are, each once. */
export function waitingItems(changes: readonly Change[]): readonly WaitingItem[] {
  const items = changes.flatMap(change => {
    const more = {
      isRemoval: isRemoval(change),
      ...(change.held?.isQueued || change.walk !== undefined ? { isQueued: true as const } : {}),
    }
    return itemsOf([change]).map(item => ({ ...item, ...more }))
  })
  return onceEach(items)
}

/** Whether a change removes something that is no longer declared. It waits for a separate confirmation (D3). */
export function isRemoval({ cause, isSpecificationGone }: Change): boolean {
  return cause === 'orphaned' || isSpecificationGone === true
}

function hasBegun(change: Change, { begun = [] }: Pick<ConfirmationRules, 'begun'>): boolean {
  return change.cause !== 'drifted' && isCovered(change, begun)
}

type Basis = 'approval' | 'rule' | 'skipConfirmation' | 'none'

/** It is asked about together with what it goes with, and not by itself (A26). */
function basisWith({ after }: Change, waiting: ReadonlySet<string>): Basis {
  return after.some(({ key, must }) => must === 'succeed' && waiting.has(key)) ? 'none' : 'rule'
}

/** Why a change that no approval covers may be made. */
function basisOf(change: Change, rules: ConfirmationRules, massRemoval: boolean): Basis {
  const skipped = rules.skipConfirmation ? 'skipConfirmation' : 'none'
  switch (change.cause) {
    case 'drifted':
      // What was approved and ran had other volumes.
      if (change.otherVolumes !== undefined) return skipped
      return isBack(change) || rules.drift === 'repair' ? 'rule' : skipped
    case 'unneeded':
      // It is planned only because the operator configured it.
      return 'rule'
    case 'missing':
    case 'diverged':
    case 'orphaned':
      if (hasBegun(change, rules)) return 'rule'
      if (isRemoval(change)) return rules.prune === 'auto' && !massRemoval ? 'rule' : 'none'
      return skipped
  }
}

/**
 * With `drift: confirm`, the approval of a rollout does not cover repairs of its result: each repair needs an approval.
 */
function approvedFor(
  { cause }: Change,
  planId: string,
  given: ConfirmationRules['approved'],
  { drift }: ConfirmationRules,
): readonly ApprovedItem[] {
  return cause === 'drifted' && drift === 'confirm' ? given.filter(item => item.planId === planId) : given
}

/**
 * After a crash the rest may be a start where a create was approved, so the release decides. Only the approval of a
 * removal covers a removal.
 */
function isCovered(change: Change, given: readonly ApprovedItem[]): boolean {
  const resource = `${change.application}/${change.service}`
  return given.some(
    item =>
      item.resource === resource &&
      item.release === change.release &&
      (item.action === 'remove') === (change.action === 'remove'),
  )
}

/** More than half of the running instances, and more than one, is too much to remove without a confirmation (G4). */
function isMassRemoval(changes: readonly Change[], running: number): boolean {
  const removed = sumOf(changes.filter(isRemoval), ({ instances }) => instances)
  return removed > 1 && removed * 2 > running
}
