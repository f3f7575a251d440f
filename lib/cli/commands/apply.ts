import { approveShown, type Consent } from '../../answers/approve.ts'
import { retryShown } from '../../answers/retry.ts'
import { owner } from '../../answers/subject/speaker.ts'
import { type Change, keyOf } from '../../plan/change/change.ts'
import { goesOn } from '../../plan/change/walk.ts'
import { renderPlan } from '../../plan/text/render.ts'
import { writtenName } from '../../reconcile/repository/identity/identify.ts'
import { isRemoval, waitingItems } from '../../reconcile/site/decision/needs-approval.ts'
import type { RoundRequest } from '../../reconcile/site/pass-request.ts'
import { planIds, resultsBySite } from '../../reconcile/site/result/join-results.ts'
import { otherPlan } from '../../reconcile/site/result/other-plan.ts'
import { type PassResult, unreachedOf } from '../../reconcile/site/result/pass-result.ts'
import { leaveEngines } from '../../reconcile/site/writer/leave-engines.ts'
import { deploymentsAt } from '../../reconcile/status/deployment/deployments-at.ts'
import { failureError } from '../../reconcile/status/error.ts'
import { lookAfter } from '../../reconcile/status/look-after.ts'
import type { World } from '../../reconcile/world.ts'
import { confirm } from '../ask.ts'
import { currentUser } from '../client/user.ts'
import { gravestCode } from '../exit.ts'
import { exitCodeOfApply } from '../exit-of-apply.ts'
import { onePass } from '../one-pass.ts'
import type { CommonFlags, PlanDetailFlags } from '../options/flags.ts'
import { outputOfOne } from '../output/in-environment.ts'
import { createProgress } from '../output/live-progress.ts'
import type { Output } from '../output/output.ts'
import { reportErrors, reportUnreachable, sayOrigin } from '../output/output.ts'
import { openSession, type Session } from '../session.ts'
import { deploymentHead, deploymentLines } from '../text/deployment-text.ts'
import { renderReport } from '../text/report.ts'
import { makePlan, resultJson } from './plan.ts'
import { applyRequest, explainUnanswered, isPartlyApproved, leaveWaiting } from './unanswered.ts'

export type ApplyFlags = PlanDetailFlags & {
  readonly yes?: boolean
  readonly plan?: string
  readonly retry?: boolean
}

/**
 * Plans, asks and applies. The plan is made again just before it is run, and only what was shown is run, and of that what
 * was approved (D4). Returns the exit code.
 */
export async function apply(output: Output, flags: CommonFlags & ApplyFlags): Promise<number> {
  await using session = openSession(flags)
  sayOrigin(output, session.config.origin)
  const results: PassResult[] = []
  const documents: object[] = []
  for (const world of session.worlds) {
    const before = new Set((await deploymentsAt(world, 'last-look')).map(deploymentHead))
    const own = outputOfOne(output, writtenName(world), session.worlds.length)
    const result = await applyOne(own, session, world, flags)
    results.push(result)
    const deployments = await deploymentsAt(world, 'now')
    documents.push(resultJson(session, result, deployments))
    // Those that were done before and still are say nothing new.
    const told = deployments.filter(one => one.state !== 'done' || !before.has(deploymentHead(one)))
    if (!output.json) own.text(deploymentLines(told, result.errors))
  }
  if (output.json) {
    output.document(documents.length === 1 ? documents[0] : documents)
  }
  return gravestCode(results.map(exitCodeOfApply))
}

/** How often a plan is shown that differs from the one before, until whoever changes something all the time is heeded. */
const mostShown = 5

/** Said of a plan that took the place of the one that was shown, because nobody is asked about it. */
const nothingToAsk =
  'It is carried out: what waited in it was confirmed before, and the rest needs no confirmation.'

/** @param shown how many plans were shown before this one */
async function applyOne(
  output: Output,
  session: Session,
  world: World,
  flags: ApplyFlags & Pick<CommonFlags, 'ref'>,
  shown = 0,
): Promise<PassResult> {
  const planned = await makePlan(session, world, flags.retry === true)
  if (!output.json && planned.plan !== undefined) output.text(renderPlan(planned.plan, flags))
  if (planned.plan === undefined) {
    reportErrors(output, planned.errors)
    return { ...planned, outcome: 'failed' }
  }
  // Nobody is asked about another plan than the one that he named.
  if (flags.plan !== undefined && flags.plan !== planned.plan.id) {
    const errors = [failureError(otherPlan(planned.plan.id, flags.plan))]
    reportErrors(output, errors)
    return { ...planned, outcome: 'superseded', errors: [...planned.errors, ...errors] }
  }
  const asks = output.interactive && flags.yes !== true && planned.waiting.length > 0
  if (shown > 0 && flags.yes !== true && planned.waiting.length === 0 && planned.plan.changes.length > 0)
    output.note(nothingToAsk)
  if (asks && !(await answer(output, world, planned, session.signal))) {
    output.note('Nothing was done.')
    return { ...(await leaveWaiting(output, session, world, flags, planned)), outcome: 'declined' }
  }
  // Without a terminal and an answer nothing is touched. Only removals may wait alone (D3), and what came after an
  // approval.
  const waits = planned.waiting.some(change => !isRemoval(change))
  if (!asks && flags.yes !== true && waits && !isPartlyApproved(world, planned)) {
    const asked = await leaveWaiting(output, session, world, flags, planned)
    if (asked.outcome === 'needs-confirmation') explainUnanswered(output, asked, flags)
    return asked
  }
  const isAnswered = asks || flags.yes === true
  if (flags.retry === true)
    retryShown(world, owner(currentUser(), asks ? 'terminal' : 'flag'), planned.plan.environment)
  const result = await run(output, session, world, flags, planned, likelyIn(planned, isAnswered))
  const isOther = flags.plan === undefined && result.outcome === 'superseded' && shown + 1 < mostShown
  if (isOther || (asks && result.outcome === 'needs-confirmation')) {
    // On the other sites it may be done.
    if (result.results.length > 0 && !output.json) output.text(renderReport(result))
    output.note('The desired or the live state has changed since; this is the plan now.')
    const again = await applyOne(output, session, world, flags, shown + 1)
    const isDone = result.results.length > 0 && again.outcome === 'in-sync'
    return isDone ? { ...again, outcome: 'applied' } : again
  }
  if (!output.json) output.text(renderReport(result))
  reportUnreachable(output, result.unreachable)
  reportErrors(output, result.errors)
  if (isStep(result)) {
    const { plan: _, ...more } = flags
    return applyOne(output, session, world, more)
  }
  const isExplained = result.results.length > 0 || result.outcome === 'needs-confirmation'
  if (asks || result.waiting.length === 0 || !isExplained) return result
  explainUnanswered(output, result, flags)
  return result.outcome === 'applied' ? { ...result, outcome: 'needs-confirmation' } : result
}

/** Whether a version was installed that others come after (A65). What comes next was approved with it. */
function isStep({ outcome, results }: PassResult): boolean {
  return outcome === 'applied' && results.some(({ change }) => goesOn(change))
}

async function run(
  output: Output,
  session: Session,
  world: World,
  flags: ApplyFlags,
  planned: PassResult,
  likelyOn: ReadonlySet<string>,
): Promise<PassResult> {
  const { plan } = planned
  const progress = createProgress(output)
  const unreached = unreachedOf(planned)
  const request: RoundRequest = {
    ...applyRequest(world, flags),
    ...(flags.yes === true && plan !== undefined ? { answer: { who: currentUser(), via: 'flag' } } : {}),
    ...(flags.plan === undefined ? { shown: planIds(planned) } : { onlyPlan: flags.plan }),
    likelyOn,
    unreached,
    onApply: progress.begin,
    onEvent: progress.event,
  }
  const result = await onePass(session, world, request)
  const look = async () => {
    await progress.end(result.results)
    await lookAfter(world, result, unreached, session.signal)
  }
  await Promise.all([look(), isStep(result) ? undefined : leaveEngines(world)])
  return result
}

/** Returns the sites on which a plan is likely to change something. `isAnswered`: also what waited for a person. */
function likelyIn(planned: PassResult, isAnswered: boolean): ReadonlySet<string> {
  const sites = resultsBySite(planned).flatMap(({ site = '', plan, waiting }) => {
    const waits = new Set(isAnswered ? [] : waiting.map(keyOf))
    const isLikely = plan?.changes.some(change => change.held === undefined && !waits.has(keyOf(change)))
    return isLikely === true ? [site] : []
  })
  return new Set(sites)
}

/**
 * Asks for the changes, and separately for removals (D3). Records the answer as an approval of the plan that was shown.
 */
async function answer(
  output: Output,
  world: World,
  planned: PassResult,
  signal: AbortSignal,
): Promise<boolean> {
  const { plan, waiting } = planned
  if (plan === undefined) return false
  const removals = waiting.filter(isRemoval)
  const others = waiting.filter(change => !isRemoval(change))
  const approved = [
    ...(others.length > 0 && (await confirm(output, 'Apply this plan? Only "yes" is accepted:', signal))
      ? others
      : []),
    ...(removals.length > 0 && (await confirm(output, removalQuestion(removals, others.length), signal))
      ? removals
      : []),
  ]
  if (approved.length === 0) return false
  approveShown(world, world.config, owner(currentUser(), 'terminal'), {
    environment: plan.environment,
    id: plan.id,
    commit: plan.revision.commit,
    parts: partsOf(planned, new Set(approved)),
  })
  if (approved.length < waiting.length) output.note('Only the confirmed changes are applied.')
  return true
}

/** Returns which of these changes each site makes. */
function partsOf(planned: PassResult, approved: ReadonlySet<Change>): Consent['parts'] {
  return resultsBySite(planned).flatMap(({ site = '', plan, waiting }) =>
    plan === undefined || waiting.length === 0
      ? []
      : [
          {
            site,
            planId: plan.id,
            commit: plan.revision.commit,
            items: waitingItems(waiting.filter(change => approved.has(change))),
          },
        ],
  )
}

function removalQuestion(removals: readonly Change[], others: number): string {
  const only = 'Only "yes" is accepted:'
  if (removals.some(({ isSpecificationGone }) => isSpecificationGone))
    return others === 0
      ? `Apply this plan? It removes what has lost its specification. ${only}`
      : `Also remove what has lost its specification, or left the manifest? ${only}`
  if (others === 0) return `Apply this plan? It only removes. ${only}`
  const what = removals.length === 1 ? 'the service' : `the ${removals.length} services`
  return `Also remove ${what} that ${removals.length === 1 ? 'is' : 'are'} no longer declared? ${only}`
}
