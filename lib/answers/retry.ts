import { applicationOf, subjectOf } from './names.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience } from './subject.ts'

/** How many quarantines, bars and troubles have ended. */
export type Released = { readonly released: number }

/** Lets everything in an environment, or in one application of it, be tried again that failed before (G5). */
export async function retry(
  audience: Audience,
  speaker: Speaker,
  given: ApplicationRequest,
): Promise<Released> {
  demandRight(speaker, 'retry')
  const { journal, nowMs } = audience
  const { who, via } = speaker
  const subject = await subjectOf(audience, given.environment)
  const application = await applicationOf(audience, subject, given.application)
  const environment = subject.name()
  const released = journal.atOnce(() => {
    const about = application === undefined ? {} : { about: application }
    journal.recordAnswer({ environment, verb: 'retry', ...about, who, via, atMs: nowMs() })
    return (
      journal.release(environment, application) +
      journal.releaseBarred(environment, application) +
      journal.forgetTroubles(environment, application)
    )
  })
  subject.tryAgain()
  subject.request()
  return { released }
}
