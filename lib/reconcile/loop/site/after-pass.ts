import { least } from '../../extremes.ts'
import { hindrancesIn, type PassResult } from '../../site/result/pass-result.ts'
import { followUpDelayMs, longestWaitMs } from '../next-delay.ts'
import type { Trigger } from '../trigger.ts'
import { type Backoff, type BackoffInput, backoffAfter } from './spared.ts'

/** What follows a pass over a site, if nothing else happens. */
export type AfterPass = {
  readonly backoff: Backoff | undefined
  /** Whether the next pass looks at what this one did. */
  readonly isFollowUp: boolean
  /** The delay until the next pass; undefined: it is made when something asks for it. */
  readonly delayMs: number | undefined
  /** What the next pass is made for. */
  readonly due: Trigger
}

/** Returns what follows a pass: another one at once, after a pause, when a window opens, or none. */
export function afterPass(input: BackoffInput): AfterPass {
  const { result, steadyMs, nowMs } = input
  const backoff = backoffAfter(input)
  const followUpMs = followUpDelayMs(result)
  const pauseMs = backoff && backoff.untilMs - steadyMs
  const windowMs = result.untilMs && Math.min(result.untilMs - nowMs, longestWaitMs)
  const waitMs = least([pauseMs, windowMs])
  const isWindow = waitMs !== undefined && waitMs === windowMs
  const isFollowUp = followUpMs !== undefined
  return {
    backoff,
    isFollowUp,
    delayMs: followUpMs ?? (waitMs && Math.max(0, waitMs)),
    due: isFollowUp ? 'after-apply' : isWindow ? 'window' : 'poll',
  }
}

/** Whether a result says anything that may be over by now: what waits, what went wrong, or that it was broken off. */
export function mayBeOver(last: PassResult | undefined): boolean {
  return (
    last !== undefined &&
    (last.outcome === 'superseded' || last.waiting.length > 0 || hindrancesIn(last).length > 0)
  )
}
