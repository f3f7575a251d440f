import { isEnded, isStopped } from '../fleet/spread/facts/run-facts.ts'
import { runFacts } from '../journal/fleet/runs.ts'
import { optional } from '../object.ts'
import { aboutRun, isDoneAt, sayTo } from './deployment.ts'
import { recordSaid } from './record-said.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import { deploymentMeant, deploymentsOf } from './subject/deployments.ts'
import { applicationOf } from './subject/names.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'

export type Resumed = {
  /** Whether something was suspended, stopped or held. */
  readonly resumed: boolean
  /** Whether a suspension has ended besides something else that is named here; absent: not. */
  readonly wasSuspended?: true
  /** The deployment that goes on, or is no longer paused; absent: none was stopped. */
  readonly deployment?: string
  /** All of its sites have its version, so that nothing of it goes on, and the next version is no longer held back. */
  readonly isDone?: true
  /** That version; absent: it is not done. */
  readonly version?: string
  /** The version at which the application was held; absent: it was not. */
  readonly heldAt?: string
  /** The applications that are suspended or held by themselves, where none was named; absent: there are none. */
  readonly byThemselves?: readonly string[]
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/**
 * Ends the suspension of an environment, or of one application of it, and whatever else keeps an application from going
 * on: it is no longer held at a version, its deployment, which the name may be too, is no longer paused or aborted, and
 * the sites where it failed try again (A33).
 */
export async function resume(
  audience: Audience,
  speaker: Speaker,
  given: ApplicationRequest,
): Promise<Resumed> {
  const { journal } = audience
  const { subject, left } = await addressed(audience, speaker, 'resume', given)
  const environment = subject.name()
  const deployment = deploymentMeant(
    deploymentsOf(audience, environment),
    given.application,
    subject.applications(),
  )
  const application = deployment?.application ?? (await applicationOf(audience, subject, given.application))
  const { resumed, isOfDeployment } = journal.atOnce(() => {
    const { name, run } = deployment ?? {}
    const facts = run === undefined ? [] : runFacts(journal, run)
    const wasStopped = run !== undefined && isStopped(facts)
    const isDone = name !== undefined && !isEnded(facts) && isDoneAt(audience, subject, name, facts)
    const of = wasStopped && name !== undefined ? aboutRun(name, run) : {}
    const held = application === undefined ? undefined : journal.endHeldVersion(environment, application)
    if (held !== undefined) journal.endForced(held)
    const wasSuspended = journal.suspension(environment, application, audience.nowMs()) !== undefined
    journal.resume(environment, application)
    const endsBoth = wasSuspended && (wasStopped || held !== undefined)
    const words = [given.message ?? '', endsBoth ? 'it is no longer suspended, either' : '']
    const message = words.filter(Boolean).join('; ')
    recordSaid(audience, subject, speaker, { verb: 'resume', about: application, ...of, message })
    const ended: Resumed = {
      resumed: wasSuspended || held !== undefined,
      ...(endsBoth ? { wasSuspended: true as const } : {}),
      ...optional('heldAt', held?.version),
    }
    if (run === undefined || name === undefined) return { resumed: ended, isOfDeployment: false }
    if (wasStopped) sayTo(audience, speaker, run, 'resume', given.message)
    if (wasStopped || held !== undefined) {
      journal.releaseQuarantined(environment, application)
      journal.releaseBarred(environment, application)
    }
    const done = isDone && held === undefined ? { isDone: true as const, version: run.version } : {}
    return wasStopped
      ? { resumed: { ...ended, resumed: true, deployment: name, ...done }, isOfDeployment: !ended.resumed }
      : { resumed: ended, isOfDeployment: false }
  })
  if (resumed.deployment !== undefined) subject.tryAgain()
  if (isOfDeployment) subject.requestOfDeployment()
  else subject.request()
  const byThemselves = application === undefined ? stoppedIn(audience, environment) : []
  return {
    ...resumed,
    ...optional('byThemselves', byThemselves.length === 0 ? undefined : byThemselves),
    ...withLeft(left),
  }
}

/** Returns the applications of an environment that are suspended or held, in the order of their names. */
function stoppedIn({ journal, nowMs }: Audience, environment: string): readonly string[] {
  const all = [...journal.suspensions(environment, nowMs()), ...journal.heldVersions(environment)]
  return [...new Set(all.flatMap(({ application }) => application ?? []))].toSorted()
}
