import { isAsked, keyOf } from '../../plan/change/change.ts'
import { renderPlan } from '../../plan/text/render.ts'
import { isRemoval } from '../../reconcile/site/decision/needs-approval.ts'
import type { RoundRequest } from '../../reconcile/site/pass-request.ts'
import { resultsBySite } from '../../reconcile/site/result/join-results.ts'
import { type PassResult, unreachedOf } from '../../reconcile/site/result/pass-result.ts'
import type { World } from '../../reconcile/world.ts'
import { onePass } from '../one-pass.ts'
import type { CommonFlags, PlanDetailFlags } from '../options/flags.ts'
import type { Output } from '../output/output.ts'
import { reportErrors, reportUnreachable } from '../output/output.ts'
import type { Session } from '../session.ts'
import { freshnessOf } from './plan.ts'

/** What somebody asks an apply for, as far as an unanswered plan depends on it. */
export type ApplyWishes = PlanDetailFlags & Pick<CommonFlags, 'ref'> & { readonly retry?: boolean }

/** Returns the request for the pass of an apply, without an answer. */
export function applyRequest(world: World, { retry }: ApplyWishes): RoundRequest {
  const freshness = freshnessOf(world, 5_000)
  return { trigger: 'command', until: 'apply', freshness, retry: retry === true }
}

/**
 * Has a plan that nobody confirmed wait for that, as the pass of a daemon would (D4): it is on record, can be approved by
 * its id, and counts as wanted, because a later version may lead on from it alone (A65). Where a daemon runs, that one
 * does so. A commit that somebody names with --ref is wanted only once it is carried out.
 */
export async function leaveWaiting(
  output: Output,
  session: Session,
  world: World,
  flags: ApplyWishes,
  planned: PassResult,
): Promise<PassResult> {
  const unanswered: PassResult = { ...planned, outcome: 'needs-confirmation' }
  if (flags.ref !== undefined || (await session.hasDaemon())) return unanswered
  const unreached = unreachedOf(planned)
  const asked = await onePass(session, world, { ...applyRequest(world, flags), onlyAsks: true, unreached })
  if (asked.plan !== undefined && asked.plan.id !== planned.plan?.id) {
    output.note('The desired or the live state has changed since; this is the plan now.')
    if (!output.json) output.text(renderPlan(asked.plan, flags))
  }
  reportUnreachable(output, asked.unreachable)
  reportErrors(output, asked.errors)
  // Whoever declined it once is asked again by each command.
  return asked.outcome === 'declined' ? { ...asked, outcome: 'needs-confirmation' } : asked
}

/**
 * Whether a person has approved a part of a plan that can be carried out, although another part waits (D4). Only that is
 * left then.
 */
export function isPartlyApproved({ journal, nowMs }: World, planned: PassResult): boolean {
  return resultsBySite(planned).some(({ site = '', plan, waiting }) => {
    if (plan === undefined) return false
    const unanswered = new Set(waiting.map(keyOf))
    const approvals = journal.approvals(plan.environment, site, nowMs())
    const approved = new Set(approvals.map(({ resource }) => resource))
    return plan.changes.some(
      change =>
        isAsked(change) &&
        change.held === undefined &&
        !unanswered.has(keyOf(change)) &&
        approved.has(`${change.application}/${change.service}`),
    )
  })
}

/** Says that a plan waits, and how it can be confirmed. A commit that somebody names with --ref is carried out by that command alone. */
export function explainUnanswered(
  output: Output,
  { plan, waiting, results }: PassResult,
  { ref }: ApplyWishes,
): void {
  const what = waiting.every(isRemoval) ? 'Removals wait' : 'The plan waits'
  const isUntouched = results.length === 0
  // What was applied since it was shown makes another plan.
  const approval = isUntouched && ref === undefined && plan ? `, or with: tallyman approve ${plan.id}` : '.'
  const confirm = isUntouched ? 'Nothing was changed; confirm with --yes' : 'Confirm with --yes'
  output.note(`${what} for a confirmation, and there is no terminal to ask on. ${confirm}${approval}`)
}
