import type { ChangeResult } from '../../apply/apply.ts'
import type { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Wanted } from '../repository/desired.ts'
import { failureProblems } from '../repository/state-on-record.ts'
import { hindrancesIn, type PassResult } from '../site/result/pass-result.ts'
import { NoneReached } from '../site/result/why-unreached.ts'
import type { PassError } from '../status/error.ts'

export type ScheduleInput = {
  /** The configured interval; undefined: a cron expression decides. */
  readonly pollMs: number | undefined
  /** The number of looks or passes in a row that failed for a reason that may go away by itself. */
  readonly failures: number
  /** Between 0 and 1. */
  readonly random: number
}

/**
 * A window opens at a time of day, and the clock that tells it may be put forward during a longer wait. Then it is
 * looked at late, by this much at most.
 */
export const longestWaitMs: number = 60 * 60 * 1000

const firstBackoffMs = 1_000
const longestBackoffMs = 5 * 60_000

/**
 * Returns the delay until the next look or pass if nothing else happens, in ms; undefined if only a trigger starts one.
 */
export function nextDelayMs({ pollMs, failures, random }: ScheduleInput): number | undefined {
  const backoffMs = backoffOf(failures)
  const jittered = (ms: number) => Math.round(ms * (0.9 + 0.2 * random))
  if (failures > 0) return jittered(pollMs === undefined ? backoffMs : Math.min(backoffMs, pollMs))
  return pollMs === undefined ? undefined : jittered(pollMs)
}

/** Whether the next look comes before the interval is over, because something did not answer. */
export function isRetry({ pollMs, failures }: Omit<ScheduleInput, 'random'>): boolean {
  return failures > 0 && (pollMs === undefined || backoffOf(failures) < pollMs)
}

function backoffOf(failures: number): number {
  return Math.min(longestBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 20))
}

/**
 * Whether another pass over a site may help, because something did not answer. What a registry or the repository keeps
 * from being known is left out, such as `stale`: the loop of the repository asks for it, and hands over what it gets.
 */
export function isTransient(
  { outcome, errors, unreachable, plan }: Pick<PassResult, 'outcome' | 'errors' | 'unreachable' | 'plan'>,
  stale?: Failure,
): boolean {
  const isOfSites = stale === undefined || stale instanceof NoneReached
  const unread = new Set(isOfSites ? [] : failureProblems(stale).map(({ code }) => code as string))
  const blocked = new Set(
    (plan?.blocked ?? []).flatMap(({ application, problems }) =>
      problems.map(({ code }) => `${application} ${code}`),
    ),
  )
  const isHandedOver = ({ code, resource = '' }: PassError) =>
    unread.has(code) || blocked.has(`${resource} ${code}`)
  const hindrances = hindrancesIn({ errors, ...optional('unreachable', unreachable) })
  return outcome !== 'in-sync' && hindrances.some(one => one.retry === 'backoff' && !isHandedOver(one))
}

/** After an apply, or an interruption of it, the next pass is due at once. */
export function followUpDelayMs({ outcome, results }: PassResult): number | undefined {
  const isDone = ({ change, result }: ChangeResult) =>
    result === 'applied' || (result === 'rolled-back' && change.cause !== 'drifted')
  return outcome === 'superseded' || results.some(isDone) ? 0 : undefined
}

/** Whether the repository, a registry or every site did not answer, which may go away by itself. */
export function mayAnswerSoon(found: Wanted | PassResult): boolean {
  return 'outcome' in found
    ? hindrancesIn(found).some(({ retry }) => retry === 'backoff')
    : found.awaitsRegistry === true || found.stale?.retry === 'backoff'
}
