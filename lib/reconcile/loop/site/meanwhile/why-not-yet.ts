import { type Change, isPutBack, keyOf } from '../../../../plan/change/change.ts'
import { isRemoval } from '../../../site/decision/needs-approval.ts'
import type { PassResult } from '../../../site/result/pass-result.ts'

/**
 * Returns why another commit cannot take over from a change that is under way, by what a pass over its site would do
 * for that commit; undefined: it can. Pure.
 * @param declined what of that a person declined
 */
export function whyNotYet(
  change: Change,
  { plan, waiting, desired, errors, unreachable = [] }: PassResult,
  declined: readonly Change[] = [],
): string | undefined {
  if (plan === undefined || plan.unseen.includes(change.site))
    return [...errors, ...unreachable][0]?.message ?? `${change.site} does not answer`
  const { application } = change
  if (plan.blocked.some(one => one.application === application)) return `${application} is blocked in it`
  const key = keyOf(change)
  const isSame = (other: Change) => keyOf(other) === key
  const asked = waiting.find(isSame)
  if (asked !== undefined)
    return isRemoval(asked) ? `the removal of ${key} needs an approval` : `${key} needs an approval in it`
  if (declined.some(isSame)) return `${key} was declined in it`
  const isWanted = desired?.applications.some(
    ({ name, services }) => name === application && services.some(({ name }) => name === change.service),
  )
  // What it wants has to wait, if it would only put back what ran before this rollout, of which nothing failed yet.
  const isUndone = (other: Change) => isWanted !== false && isPutBack(other) && !isPutBack(change)
  const other = plan.changes.find(one => isSame(one) && (one.held || one.isBegun || isUndone(one)))
  if (other === undefined) return undefined
  if (other.held === undefined) return `${key} has to be completed before it`
  const { code, reason } = other.held
  return code === 'suspended' ? `${key} is suspended: ${reason}` : `${key} is held in it: ${reason}`
}
