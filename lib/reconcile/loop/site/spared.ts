import { isTriedAgain } from '../../../apply/apply.ts'
import type { Failure } from '../../../errors.ts'
import type { Held } from '../../../plan/hold/held.ts'
import { withoutSite } from '../../../text/sites/without-site.ts'
import type { PassResult } from '../../site/result/pass-result.ts'
import { isTransient, nextDelayMs } from '../next-delay.ts'
import type { Trigger } from '../trigger.ts'

/**
 * Applications that failed for a reason that may go away, and are tried again later. Until then they are left alone,
 * and all others are looked after as usual (G17).
 */
export type Backoff = {
  /** The number of passes in a row that failed in this way. */
  readonly failures: number
  /** The site did not answer. */
  readonly isUnseen: boolean
  /** The end of the pause, on the steady clock. */
  readonly untilMs: number
  /** By `site/application`. */
  readonly applications: ReadonlyMap<string, Held>
}

export type BackoffInput = {
  readonly result: PassResult
  /** Why the repository, or its newest commit, could not be read. */
  readonly stale?: Failure | undefined
  /** What was left alone in this pass. */
  readonly spared: Backoff | undefined
  /** The backoff before this pass. */
  readonly before: Backoff | undefined
  readonly pollMs: number | undefined
  readonly steadyMs: number
  /** The time of day, in ms since 1970. */
  readonly nowMs: number
  /** Between 0 and 1. */
  readonly random: number
}

/**
 * Returns the backoff after a pass; undefined if there is none. A pass that left alone what failed does not change it.
 */
export function backoffAfter(input: BackoffInput): Backoff | undefined {
  const { result, spared, before, pollMs, steadyMs, nowMs, random } = input
  const failing = failingIn(result)
  const isNew = [...failing.keys()].some(key => !spared?.applications.has(key))
  if (spared !== undefined && !isNew) return spared
  if (failing.size === 0 && !isTransient(result, input.stale)) return undefined
  // How long a site was away says nothing of what fails there once it is back.
  const isBack = before?.isUnseen === true && !isUnseen(result)
  const failures = (isBack ? 0 : (before?.failures ?? 0)) + 1
  // What fails, and a site that does not answer, are let alone for longer than the interval, which is that of the
  // repository.
  const isLonger = isUnseen(result) || failing.size > 0
  const delayMs = nextDelayMs({ pollMs: isLonger ? undefined : pollMs, failures, random }) ?? 0
  return {
    failures,
    isUnseen: isUnseen(result),
    untilMs: steadyMs + delayMs,
    applications: new Map(
      [...(spared?.applications ?? []), ...failing].map(
        ([key, held]) => [key, { ...held, againMs: nowMs + delayMs }] as const,
      ),
    ),
  }
}

/**
 * Returns what a pass leaves alone; undefined: nothing. What failed and is tried again causes events of its own, which
 * must not shorten its pause. Neither must a look at the repository that finds nothing new, however often there is one.
 * @param isSame whether the last pass was for the same
 */
export function sparedBy(
  trigger: Trigger,
  backoff: Backoff | undefined,
  isSame: boolean,
  steadyMs: number,
): Backoff | undefined {
  if (backoff === undefined || steadyMs >= backoff.untilMs) return undefined
  // A site that does not answer has pauses of its own.
  const isNothingNew = trigger === 'poll' && isSame && backoff.applications.size > 0
  const isEvent = trigger === 'engine-event' || trigger === 'after-apply' || trigger === 'window'
  return isEvent || isNothingNew ? backoff : undefined
}

/** Whether a pass came to a site and could not see it. */
export function isUnseen({ plan }: Pick<PassResult, 'plan'>): boolean {
  return plan !== undefined && plan.unseen.length > 0
}

function failingIn({ results }: PassResult): ReadonlyMap<string, Held> {
  return new Map(
    results.flatMap(done => {
      if ((done.result !== 'failed' && done.result !== 'rolled-back') || !isTriedAgain(done)) return []
      const { change, failure } = done
      const [site, application] = [change.site, change.application]
      const reason = withoutSite(failure.message, site)
      return [[`${site}/${application}`, { code: failure.code, reason, isLater: true }] as const]
    }),
  )
}
