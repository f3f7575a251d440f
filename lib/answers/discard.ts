import { findEnvironment, subjectOf } from './names.ts'
import type { AnswerRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience, Subject } from './subject.ts'
import { answerPlan } from './waiting-plan.ts'

export type Discarded = { readonly discarded: string; readonly environment: string }

type Given = AnswerRequest & { readonly id: string }

/**
 * Discards the changes of a plan that wait, at its commit (D4), or takes back the approval of a plan of which nothing
 * has begun. Fails if the plan neither waits nor can be taken back, or was discarded before.
 */
export async function discard(audience: Audience, speaker: Speaker, given: Given): Promise<Discarded> {
  demandRight(speaker, 'discard')
  if (given.environment !== undefined) await subjectOf(audience, given.environment)
  const taken = audience.journal.atOnce(() => takeBack(audience, speaker, given))
  if (taken !== undefined) return taken
  return answerPlan(audience, given, ({ subject, commit, parts }) => {
    for (const { site } of parts) audience.journal.clearWaiting(subject.name(), site)
    return decline(audience, subject, speaker, {
      ...given,
      commit,
      planIds: parts.map(({ planId }) => planId),
    })
  })
}

/** Takes back an approval; undefined if there is none of that plan, or if something of it has begun. */
function takeBack(audience: Audience, speaker: Speaker, given: Given): Discarded | undefined {
  const { subjects, journal, nowMs } = audience
  const { id, environment } = given
  const named = environment === undefined ? subjects : [findEnvironment(subjects, environment)]
  for (const subject of named) {
    const approval = journal.unbegun(subject.name(), nowMs())
    if (approval?.planId !== id || subject.isRollingOut()) continue
    journal.withdraw(subject.name(), id)
    journal.clearWaiting(subject.name())
    return decline(audience, subject, speaker, { ...given, commit: approval.commit, planIds: [] })
  }
  return undefined
}

function decline(
  { journal, nowMs }: Audience,
  subject: Subject,
  { who, via }: Speaker,
  // The plans of single sites that were asked for together.
  {
    id,
    commit,
    planIds,
    message = '',
  }: Given & { readonly commit: string; readonly planIds: readonly string[] },
): Discarded {
  const environment = subject.name()
  const said = { environment, who, ...(message === '' ? {} : { message }), atMs: nowMs() }
  for (const planId of new Set([id, ...planIds])) journal.discard({ ...said, planId, commit })
  journal.recordAnswer({ ...said, via, verb: 'discard', about: id })
  subject.request()
  return { discarded: id, environment }
}
