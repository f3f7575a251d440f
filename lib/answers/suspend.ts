import { Failure } from '../errors.ts'
import type { Suspension } from '../journal/decisions/suspensions.ts'
import { isoText } from '../text/time.ts'
import type { SuspensionRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import { applicationOf } from './subject/names.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'

export type Suspended = {
  readonly suspended: string
  /** The suspension that it took the place of. */
  readonly replaced?: { readonly reason: string; readonly who: string }
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/**
 * Suspends an environment, or one application of it. A reason that somebody else gave is never lost silently: a second
 * suspension is refused and told the first reason, unless it asks to replace the first one. One that is accepted is in
 * force. Fails with `wrong-usage` if it has no reason, or would be over already.
 */
export async function suspend(
  audience: Audience,
  speaker: Speaker,
  given: SuspensionRequest,
): Promise<Suspended> {
  const { journal, nowMs } = audience
  const { who, via } = speaker
  const { reason = '', untilMs, replace = false } = given
  const { subject, left } = await addressed(audience, speaker, 'suspend', given)
  const application = await applicationOf(audience, subject, given.application)
  const environment = subject.name()
  const atMs = nowMs()
  if (reason.trim() === '') throw new Failure('wrong-usage', 'a suspension needs a reason')
  if (untilMs !== undefined && untilMs <= atMs)
    throw new Failure('wrong-usage', `the end of the suspension, ${isoText(untilMs)}, is over already`)
  const replaced = journal.atOnce(() => {
    const earlier = journal.suspension(environment, application, atMs)
    if (earlier !== undefined && !replace) throw alreadySuspended(earlier)
    journal.suspend({
      environment,
      ...(application === undefined ? {} : { application }),
      reason,
      who,
      atMs,
      ...(untilMs === undefined ? {} : { untilMs }),
    })
    journal.recordAnswer({
      environment,
      verb: 'suspend',
      ...(application === undefined ? {} : { about: application }),
      who,
      via,
      message: `${reason}${untilText(untilMs)}`,
      atMs,
    })
    return earlier
  })
  subject.request()
  return {
    suspended: application ?? environment,
    ...(replaced === undefined ? {} : { replaced: { reason: replaced.reason, who: replaced.who } }),
    ...withLeft(left),
  }
}

function alreadySuspended(suspension: Suspension): Failure {
  return new Failure('already-suspended', suspendedText(suspension))
}

/** Says who suspended what, since when, until when and why. */
export function suspendedText({ environment, application, who, reason, atMs, untilMs }: Suspension): string {
  const since = isoText(atMs)
  return `${application ?? environment} has been suspended by ${who} since ${since}${untilText(untilMs)}: ${reason}`
}

function untilText(untilMs: number | undefined): string {
  return untilMs === undefined ? '' : ` until ${isoText(untilMs)}`
}
