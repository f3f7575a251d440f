import { Failure } from '../../errors.ts'
import type { PassOfPlan } from '../../journal/decisions/said-of-plans.ts'
import type { Journal } from '../../journal/journal.ts'
import { commonOutcome } from '../../reconcile/site/result/join-results.ts'
import { shortCommit } from '../../state/repository/revision.ts'
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
  const isKnown = owner !== undefined && !isOutdated(journal, owner, id)
  const overtaker = isKnown ? overtakenBy(journal, owner, id) : undefined
  if (isKnown && overtaker === undefined) return answered(audience, owner, id)
  const ids = subjects.flatMap(one => {
    const { plan, parts } = one.found()
    return plan !== undefined && parts.length > 0 ? [plan.id] : []
  })
  const meant = overtaker === undefined ? nearest(id, ids) : undefined
  const others = ids.length === 0 ? 'no plan waits' : `these wait: ${ids.join(', ')}`
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  const busy = subjects.map(one => `${busyText(one)}${observedText(one)}`)
  const suspended = subjects
    .flatMap(one => journal.suspensions(one.name(), nowMs()))
    .map(one => `; ${suspendedText(one)}`)
  const why =
    overtaker === undefined
      ? 'does not wait for an answer'
      : `is over: commit ${shortCommit(overtaker)} came before it was carried out`
  return new Failure(
    'plan-changed',
    `plan ${id} ${why}; ${others}${question}${[...suspended, ...busy].join('')}`,
  )
}

/**
 * Whether the plan came again with another commit than the last one about which somebody said a word, or waited without
 * any word until something else was wanted.
 */
function isOutdated(journal: Journal, subject: Subject, id: string): boolean {
  const [word] = journal.wordsOn(subject.name(), id)
  const passes = passesOf(journal, subject, id)
  if (word === undefined) return passes.every(({ outcome }) => outcome === 'needs-confirmation')
  return passes.some(
    ({ outcome, commit, atMs }) =>
      outcome === 'needs-confirmation' && commit !== word.commit && atMs > word.atMs,
  )
}

/**
 * Returns the commit that ended an approval of which nothing was carried out: a look has found that it asks for something
 * else, or for nothing any more. Undefined: none has.
 */
function overtakenBy(journal: Journal, subject: Subject, id: string): string | undefined {
  const environment = subject.name()
  const [word] = journal.wordsOn(environment, id)
  if (word?.word !== 'approved' || askedIn([subject], id) !== undefined) return undefined
  const isLeft = passesOf(journal, subject, id).every(
    ({ outcome, atMs }) => outcome === 'needs-confirmation' || (outcome !== undefined && atMs < word.atMs),
  )
  const { plan, endedMs } = subject.found()
  const [newest] = journal.log({ environment, limit: 1 })
  const seenMs = plan === undefined ? newest?.lastSeenAtMs : endedMs
  const commit = plan === undefined ? newest?.revision?.commit : plan.commit
  return isLeft && seenMs !== undefined && seenMs >= word.atMs && commit !== word.commit ? commit : undefined
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
