import { applicationOf, subjectOf } from './names.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience } from './subject.ts'

/** Whether something was suspended. */
export type Resumed = { readonly resumed: boolean }

/** Ends the suspension of an environment, or of one application of it. */
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
  const resumed = journal.atOnce(() => {
    const about = application === undefined ? {} : { about: application }
    journal.recordAnswer({ environment, verb: 'resume', ...about, who, via, atMs: nowMs() })
    return journal.resume(environment, application)
  })
  subject.request()
  return { resumed }
}
