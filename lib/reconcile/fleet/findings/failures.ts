import { type FailedChange, isTriedAgain } from '../../../apply/apply.ts'
import type { Hindrance } from '../../../fleet/spread/facts/hindrance.ts'
import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import { type Change, isLeftOver, type Plan } from '../../../plan/change/change.ts'
import type { Held } from '../../../plan/hold/held.ts'
import type { RunFact, SiteFailed } from '../../../state/fleet/run.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import { spanText } from '../../../text/time.ts'
import { type Break, isBroken } from '../../site/result/breaks.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import type { ApplicationStatus } from '../../status/application/application-status.ts'
import { holdMeaning } from './hold-meaning.ts'

/** Why a version fails on a site, and which one does if it is one on the way to it. */
type VersionFailure = Pick<SiteFailed, 'reason' | 'step'>

/** Why a version does not come to a site now. `isTried`: tallyman tries it again by itself. */
type HinderedNow = VersionFailure & { readonly isTried: boolean }

/** What is known of a version on a site besides what a pass found. */
export type KnownOfVersion = {
  readonly version: string
  /** When its run began, or a person last said that it goes on, in ms since 1970. */
  readonly sinceMs: number
  /** What is wrong with it although it was in place, if that is a failure. */
  readonly how: Break | undefined
  readonly isRechecked: boolean
}

/**
 * Returns how a version fails on a site; undefined if it does not. After a person's word to go on, what a pass finds to
 * repair is judged by the pass that looks at it then. A hook that failed once the version served is a failure as long as
 * it is on record, whoever saw it end (H30).
 */
export function failureIn(
  result: PassResult,
  application: string,
  own: ApplicationStatus | undefined,
  { version, sinceMs, how, isRechecked }: KnownOfVersion,
): VersionFailure | undefined {
  for (const done of failuresIn(result, application))
    if (done.failure.retry === 'never') return failureOf(done)
  const trouble = result.troubles?.find(
    one => one.application === application && one.version === version && one.atMs >= sinceMs,
  )
  if (trouble !== undefined) return { reason: trouble.message }
  const held = heldIn(result, application).find(({ held }) => holdMeaning(held) === 'failure')?.held
  if (held !== undefined) return { reason: held.reason, ...optional('step', held.step) }
  if (isRechecked && isRepaired(result, application)) return undefined
  if (how === undefined || own === undefined) return undefined
  const why = own.reason === '' && how === 'ended' ? 'it has ended by itself again' : own.reason
  return { reason: `${application} is ${own.health}${why === '' ? '' : `: ${why}`}` }
}

/** Returns what is wrong with an application that runs in the version of its run; undefined: nothing. */
export function breakIn(
  result: PassResult,
  application: string,
  own: ApplicationStatus | undefined,
): Break | undefined {
  if (!isBroken(own?.health) || isDiverging(result, application)) return undefined
  return result.breaks?.get(application) ?? (own?.health === 'Degraded' ? 'failing' : 'stopped')
}

/**
 * Returns why a version does not come to a site now although nothing keeps it from being tried again by itself, because
 * the reason may go away (G1). Undefined if nothing failed so.
 */
export function hindranceIn(result: PassResult, application: string): HinderedNow | undefined {
  const failed = failuresIn(result, application).find(isTriedAgain)
  if (failed !== undefined) return { ...failureOf(failed), isTried: true }
  const found = heldIn(result, application).find(({ held }) => holdMeaning(held) === 'hindrance')
  if (found === undefined) return undefined
  const { held, reason } = found
  const isReported = held.code === 'drift-reported'
  return { reason: isReported ? `${reason}; ${held.reason}` : held.reason, isTried: !isReported }
}

function failureOf({ change, failure }: FailedChange): VersionFailure {
  return { reason: failure.message, ...optional('step', change.walk?.by[0]) }
}

function failuresIn({ results }: PassResult, application: string): readonly FailedChange[] {
  return results.flatMap(done => ('failure' in done && isOfRun(done.change, application) ? [done] : []))
}

/** What was begun of an earlier version, and fails, is no failure of the version of the run. */
function isOfRun(change: Change, application: string): boolean {
  return change.application === application && change.isBegun === undefined
}

/** Returns what is held of an application as it is wanted: what it no longer has, and nobody may remove, is no part of it. */
export function heldIn({ plan }: PassResult, application: string): readonly HeldChange[] {
  return changesOf(plan, application).filter(
    (change): change is HeldChange => change.held !== undefined && !isLeftOver(change),
  )
}

type HeldChange = Change & { readonly held: Held }

function isRepaired({ plan }: PassResult, application: string): boolean {
  return changesOf(plan, application).some(change => !isLeftOver(change))
}

/** Whether it is about to get something else, so that it says nothing about the version that it is incomplete. */
function isDiverging({ plan }: PassResult, application: string): boolean {
  return changesOf(plan, application).some(change => change.cause !== 'drifted' && !isLeftOver(change))
}

function changesOf(plan: Plan | undefined, application: string): readonly Change[] {
  return plan === undefined ? [] : (byApplication(plan).get(application) ?? [])
}

/** Each deployment asks about its own. */
const byApplication = onceFor(({ changes }: Plan) => Map.groupBy(changes, ({ application }) => application))

/** Returns that something hinders the version on a site, or no longer does, or did until its time was over (A33). */
export function hinderedBy(
  now: HinderedNow | undefined,
  site: string,
  before: Hindrance | undefined,
  { atMs, deadlineMs }: { readonly atMs: number; readonly deadlineMs: number },
): RunFact | undefined {
  if (now === undefined) return before && { kind: 'hindered', atMs, site }
  if (before === undefined) return { kind: 'hindered', atMs, site, untilMs: atMs + deadlineMs }
  if (atMs < before.untilMs) return undefined
  const { isTried, ...failure } = now
  const lasted = `${isTried ? 'it was tried again for' : 'that lasted'} ${spanText(before.untilMs - before.sinceMs)}`
  return { kind: 'failed', atMs, site, ...failure, reason: `${withoutSite(now.reason, site)}; ${lasted}` }
}
