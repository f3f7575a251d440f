import { optional } from '../object.ts'
import { applicationOf, subjectOf } from './names.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience } from './subject.ts'

export type Resumed = {
  /** Whether something was suspended or held. */
  readonly resumed: boolean
  /** The version at which the application was held; absent: it was not. */
  readonly heldAt?: string
}

/**
 * Ends the suspension of an environment, or of one application of it. An application that is held at a version follows
 * the commits again.
 */
export async function resume(
  audience: Audience,
  speaker: Speaker,
  given: ApplicationRequest,
): Promise<Resumed> {
  demandRight(speaker, 'resume')
  const { journal, nowMs } = audience
  const { who, via } = speaker
  const subject = await subjectOf(audience, given.environment)
  const application = await applicationOf(audience, subject, given.application)
  const environment = subject.name()
  const { resumed, held } = journal.atOnce(() => {
    const about = application === undefined ? {} : { about: application }
    journal.recordAnswer({ environment, verb: 'resume', ...about, who, via, atMs: nowMs() })
    const held = application === undefined ? undefined : journal.endHeldVersion(environment, application)
    return { held, resumed: journal.resume(environment, application) }
  })
  subject.request()
  return { resumed: resumed || held !== undefined, ...optional('heldAt', held?.version) }
}
