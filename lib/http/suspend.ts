import { Failure } from '../errors.ts'
import type { Suspension } from '../journal/suspensions.ts'
import { type ControlOptions, type Given, text } from './controlled.ts'
import { applicationOf, nameOf, subjectOf } from './environments.ts'

/**
 * Suspends an environment, or one application of it. A reason that somebody else gave is never lost silently: a second
 * suspension is refused and told the first reason, unless it asks to replace the first one.
 */
export async function suspend({ running, journal, nowMs }: ControlOptions, given: Given): Promise<object> {
  const controlled = await subjectOf(running, given)
  const application = (await applicationOf(controlled, given)) || undefined
  const environment = nameOf(controlled)
  const until = given['untilMs']
  const atMs = nowMs()
  const replaced = journal.atOnce(() => {
    const earlier = journal.suspension(environment, application, atMs)
    if (earlier !== undefined && given['replace'] !== true) throw alreadySuspended(earlier)
    journal.suspend({
      environment,
      ...(application === undefined ? {} : { application }),
      reason: text(given['reason']),
      who: text(given['who']) || 'unknown',
      atMs,
      ...(typeof until === 'number' ? { untilMs: until } : {}),
    })
    return earlier
  })
  controlled.loop.request('command')
  return {
    suspended: application ?? environment,
    ...(replaced === undefined ? {} : { replaced: { reason: replaced.reason, who: replaced.who } }),
  }
}

/** Ends a suspension. */
export async function resume({ running, journal }: ControlOptions, given: Given): Promise<object> {
  const controlled = await subjectOf(running, given)
  const application = (await applicationOf(controlled, given)) || undefined
  const resumed = journal.resume(nameOf(controlled), application)
  controlled.loop.request('command')
  return { resumed }
}

function alreadySuspended({ environment, application, who, reason, atMs, untilMs }: Suspension): Failure {
  const since = new Date(atMs).toISOString()
  const until = untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString()}`
  return new Failure(
    'already-suspended',
    `${application ?? environment} has been suspended by ${who} since ${since}${until}: ${reason}`,
  )
}
