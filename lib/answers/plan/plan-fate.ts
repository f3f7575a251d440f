import { Failure } from '../../errors.ts'
import type { PassOfPlan } from '../../journal/history/words.ts'
import type { Journal } from '../../journal/journal.ts'
import { commonOutcome } from '../../reconcile/site/result/join-results.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import { timeText } from '../../text/time.ts'
import { isHeard, unheard } from '../subject/addressed.ts'
import { askedIn, wordText } from '../subject/asked.ts'
import type { Audience, Subject } from '../subject/subject.ts'
import { suspendedText } from '../suspend.ts'

/** Whether a running pass carries out that plan. */
export function isUnderWay({ journal }: Pick<Audience, 'journal'>, subject: Subject, id: string): boolean {
  return (
    subject.rollingOut().length > 0 &&
    passesOf(journal, subject, id).some(({ outcome }) => outcome === undefined)
  )
}

/** Returns the newest pass over each site that had its part of a plan, of one site or of several together. */
export function passesOf(journal: Journal, subject: Subject, id: string): readonly PassOfPlan[] {
  const environment = subject.name()
  const ids = new Set([id, ...journal.sitePlans(environment, id).map(({ planId }) => planId)])
  return [...ids].flatMap(one => journal.passOfPlan(environment, one) ?? [])
}

/** Returns the failure for a plan that does not wait. It says what became of the plan, or which plans there are. */
export function notAsked(audience: Audience, id: string): Failure {
  const { subjects, journal, nowMs } = audience
  const owner = subjects.find(
    one => passesOf(journal, one, id).length > 0 || journal.wordsOn(one.name(), id).length > 0,
  )
  if (owner !== undefined && !isOutdated(journal, owner, id) && !isOvertaken(journal, owner, id))
    return answered(audience, owner, id)
  const ids = subjects.flatMap(one => {
    const { plan, parts } = one.found()
    return plan !== undefined && parts.length > 0 ? [plan.id] : []
  })
  const meant = nearest(id, ids)
  const others = ids.length === 0 ? 'no plan waits' : `these wait: ${ids.join(', ')}`
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  const busy = subjects.map(one => `${busyText(one)}${observedText(one)}`)
  const suspended = subjects
    .flatMap(one => journal.suspensions(one.name(), nowMs()))
    .map(one => `; ${suspendedText(one)}`)
  return new Failure(
    'plan-changed',
    `plan ${id} does not wait for an answer; ${others}${question}${[...suspended, ...busy].join('')}`,
  )
}

/** Whether the plan came again with another commit than the last one about which somebody said a word. */
function isOutdated(journal: Journal, subject: Subject, id: string): boolean {
  const [word] = journal.wordsOn(subject.name(), id)
  if (word === undefined) return false
  return passesOf(journal, subject, id).some(
    ({ outcome, commit, atMs }) =>
      outcome === 'needs-confirmation' && commit !== word.commit && atMs > word.atMs,
  )
}

/** Whether a plan was approved, nothing came of it, and a look has found another one since, which waits. */
function isOvertaken(journal: Journal, subject: Subject, id: string): boolean {
  const [word] = journal.wordsOn(subject.name(), id)
  if (word?.word !== 'approved') return false
  const { plan, parts, endedMs } = subject.found()
  const isOther = plan !== undefined && parts.length > 0 && askedIn([subject], id) === undefined
  const isLeft = passesOf(journal, subject, id).every(
    ({ outcome, atMs }) => outcome === 'needs-confirmation' || (outcome !== undefined && atMs < word.atMs),
  )
  return isOther && isLeft && endedMs >= word.atMs
}

/** Says who knows more of the plans of an environment that is only observed here; empty if it is not. */
function observedText(subject: Subject): string {
  const sites = subject.sites()
  return isHeard(subject, sites) ? '' : `; ${unheard(subject, sites).message}`
}

/** Says where a rollout is under way; empty if none is. */
function busyText(subject: Subject): string {
  const sites = subject.rollingOut()
  if (sites.length === 0) return ''
  const under = `; a rollout of ${subject.name()} is under way`
  if (subject.sites().length === 1) return under
  return `${under} on ${sites.length > mostNamed ? `${sites.length} sites` : sites.join(', ')}`
}

/** More sites than these are counted. */
const mostNamed = 3

/**
 * Returns the failure for a plan that no longer waits. It says who gave which answer when, and how far the plan came.
 */
export function answered(audience: Pick<Audience, 'journal'>, subject: Subject, id: string): Failure {
  const { journal } = audience
  const [word] = journal.wordsOn(subject.name(), id)
  const passes = passesOf(journal, subject, id)
  const said =
    word === undefined ? [] : [`${wordText(word)}${word.message === undefined ? '' : ` ("${word.message}")`}`]
  // A pass that still asked for an answer ended before there was one, if only in the same millisecond.
  const newer = passes.filter(
    ({ outcome, atMs }) => word === undefined || (atMs >= word.atMs && outcome !== 'needs-confirmation'),
  )
  // What of a plan is under way although it was discarded was allowed before.
  const became =
    word?.word !== 'discarded' && isUnderWay(audience, subject, id)
      ? ['is being carried out']
      : newer.length > 0
        ? endOf(newer, passes.length)
        : word?.word === 'approved'
          ? [fateOfApproval(subject, id, word.atMs)]
          : []
  const code = word === undefined ? 'plan-changed' : 'plan-answered'
  return new Failure(code, `plan ${id} ${[...said, ...became].join(' and ')}`)
}

/** Says how the passes ended that carried out a plan, on those of its sites where they have. */
function endOf(all: readonly PassOfPlan[], sites: number): readonly string[] {
  // Where its turn did not come, nothing was carried out.
  const begun = all.filter(({ hasBegun }) => hasBegun)
  const passes = begun.length > 0 ? begun : all
  const outcomes = passes.flatMap(({ outcome }) => outcome ?? [])
  if (outcomes.length === 0) return []
  const {
    passId,
    atMs,
    endedMs = atMs,
  } = passes.reduce((last, one) => (one.passId > last.passId ? one : last))
  const where = outcomes.length === sites ? '' : ` on ${outcomes.length} of ${sites} sites`
  return [`ended as ${commonOutcome(outcomes)}${where} (pass ${passId}, ${timeText(endedMs)})`]
}

/** Says what becomes of an approval of which nothing has begun: what went wrong on the sites of the plan since. */
function fateOfApproval(subject: Subject, id: string, atMs: number): string {
  const found = subject.found()
  const passes = askedIn([subject], id)?.parts ?? [found]
  const [error] = passes.filter(({ endedMs }) => endedMs >= atMs).flatMap(({ errors }) => errors)
  return error === undefined ? 'is carried out next' : `is not carried out yet: ${error.message}`
}
