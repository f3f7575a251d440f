import type { UnbegunApproval } from '../../../journal/decisions/lapse-approvals.ts'
import type { Word } from '../../../journal/decisions/said-of-plans.ts'
import type { WaitingPlan } from '../../../journal/decisions/waiting.ts'
import type { Journal } from '../../../journal/journal.ts'
import { optional } from '../../../object.ts'
import { splitKey } from '../../../plan/change/change.ts'
import { isoText } from '../../../text/time.ts'
import { greatest, least } from '../../extremes.ts'
import type { LoopState } from '../../loop/loop-state.ts'
import { passEnds } from '../heard.ts'
import type { LastState, WaitingPart } from '../last-state.ts'

/** What a person has to say, or has said, of the plan that was due. Times are in ISO 8601. */
export type PlanStanding = {
  readonly waiting?: { readonly plan: string; readonly since: string }
  /**
   * An approval that no pass has carried out yet, and why the last pass did not, or the sites on which it was carried out
   * while the others wait.
   */
  readonly approved?: SaidWord & { readonly reason?: string; readonly carriedOutOn?: readonly string[] }
  readonly declined?: SaidWord
}

export type SaidWord = {
  readonly plan: string
  readonly who: string
  readonly at: string
  readonly message?: string
}

type PlanSource = {
  readonly environment: string
  readonly journal: Pick<Journal, 'wordsOn' | 'waiting' | 'unbegunApproval'>
  readonly state: LastState | undefined
  /** The plan of each site. */
  readonly parts: readonly WaitingPart[]
  readonly nowMs: number
  readonly loop?: LoopState
}

/**
 * Returns whether the plan that was due waits, or was approved, or was declined since it was found.
 * @param over applications whose deployments have ended, so that no approval brings them anywhere (A33)
 */
export function planStanding(source: PlanSource, over: readonly string[], lookedMs = 0): PlanStanding {
  const { environment, journal, state, nowMs, loop } = source
  const { plan, revision } = state ?? {}
  if (plan === undefined || revision === undefined) return postponedOf(source, over, lookedMs)
  const isAsked = state?.outcome === 'needs-confirmation' || state?.outcome === 'declined'
  const [word] = journal.wordsOn(environment, plan)
  if (word?.word === 'discarded' && word.commit === revision.commit && isAsked)
    return { declined: saidWord(plan, word) }
  const declined = state?.outcome === 'declined' ? noToPart(source, revision.commit) : undefined
  if (declined !== undefined) return { declined }
  const rows = journal.waiting(environment)
  if (rows.length === 0 || loop?.last?.waiting.length === 0) return postponedOf(source, over, lookedMs)
  const endedMs = passEnds(loop, lookedMs)
  const said = rows.map(row => ({ ...row, yes: yesTo(source, row, endedMs(row.site)) }))
  const open = said.filter(({ yes }) => yes === undefined)
  const [only] = open
  if (only === undefined) {
    const together = word?.word === 'approved' ? [{ planId: plan, yes: word }] : []
    const [newest] = [...together, ...said].flatMap(({ planId, yes }) => (yes ? [saidWord(planId, yes)] : []))
    if (newest !== undefined) return { approved: newest }
  }
  const sinceMs = least(open.map(row => row.sinceMs)) ?? nowMs
  const waiting = open.length === 1 && only !== undefined ? only.planId : plan
  return { waiting: { plan: waiting, since: isoText(sinceMs) } }
}

/** Returns the newest no to the plan of a site, where sites have others that nobody discarded: their turn has not come. */
function noToPart({ environment, journal, parts }: PlanSource, commit: string): SaidWord | undefined {
  const all = parts.flatMap(({ planId }) => {
    const word = journal.wordsOn(environment, planId).find(one => one.word === 'discarded')
    return word?.commit === commit ? [{ planId, word }] : []
  })
  const newestMs = greatest(all.map(({ word }) => word.atMs))
  const newest = all.find(({ word }) => word.atMs === newestMs)
  return newest && saidWord(newest.planId, newest.word)
}

/** Returns the approval of a plan that waits on a site, if it was given since the last pass over that site ended. */
function yesTo(
  { environment, journal, nowMs }: PlanSource,
  { planId }: WaitingPlan,
  endedMs: number,
): Word | undefined {
  return journal
    .wordsOn(environment, planId)
    .find(({ word, atMs }) => word === 'approved' && atMs >= endedMs && atMs <= nowMs)
}

/** An approval that the last pass could not begin to carry out, because something went wrong. */
function postponedOf(
  { environment, journal, state, nowMs }: PlanSource,
  over: readonly string[],
  lookedMs: number,
): Pick<PlanStanding, 'approved'> {
  const { errors = [], unreachable = [] } = state ?? {}
  if (errors.length + unreachable.length === 0) return {}
  const given = journal.unbegunApproval(environment, nowMs, over)
  if (given === undefined || given.atMs > lookedMs) return {}
  const error =
    errors.find(({ resource }) => concerns(resource, given)) ??
    unreachable.find(({ site }) => given.about.some(one => one.site === site))
  if (error === undefined) return {}
  const { carriedOutOn } = given
  const stand = carriedOutOn.length > 0 ? { carriedOutOn } : { reason: error.message }
  return { approved: { ...saidWord(given.planId, given), ...stand } }
}

/** Whether what went wrong may keep an approval from being carried out. What names nothing concerns all. */
function concerns(resource: string | undefined, { about }: Pick<UnbegunApproval, 'about'>): boolean {
  if (resource === undefined) return true
  const { site, application, service } = splitKey(resource)
  return about.some(
    one =>
      (site === '' || one.site === site) && one.application === (application === '' ? service : application),
  )
}

function saidWord(plan: string, { who, message, atMs }: Pick<Word, 'who' | 'message' | 'atMs'>): SaidWord {
  return { plan, who, at: isoText(atMs), ...optional('message', message) }
}
