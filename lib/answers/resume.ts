import { isStopped } from '../fleet/strategy/stand.ts'
import { deploymentsOf, sayTo } from './deployment.ts'
import { applicationOf, subjectOf } from './names.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience } from './subject.ts'

/** Whether something was suspended, and the deployment that goes on. */
export type Resumed = { readonly resumed: boolean; readonly deployment?: string }

/**
 * Ends the suspension of an environment, or of one application of it, and whatever else keeps an application from going
 * on: its deployment, which the name may be too, is no longer paused or aborted, and the sites where it failed try again
 * (A33).
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
  const environment = subject.name()
  const deployment = deploymentsOf(audience, environment).find(
    ({ name, application }) => name === given.application || application === given.application,
  )
  const application = deployment?.application ?? (await applicationOf(audience, subject, given.application))
  const resumed = journal.atOnce(() => {
    const about = application === undefined ? {} : { about: application }
    journal.recordAnswer({ environment, verb: 'resume', ...about, who, via, atMs: nowMs() })
    const ended = journal.resume(environment, application)
    const { name, run, facts = [] } = deployment ?? {}
    if (run === undefined || name === undefined || !isStopped(facts)) return { resumed: ended }
    sayTo(audience, speaker, run, 'resume')
    journal.release(environment, application)
    return { resumed: true, deployment: name }
  })
  subject.request()
  return resumed
}
