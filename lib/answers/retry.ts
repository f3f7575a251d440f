import { isStopped } from '../fleet/spread/facts/run-facts.ts'
import { runFacts } from '../journal/fleet/runs.ts'
import type { WaitingPart } from '../reconcile/status/last-state.ts'
import { recordSaid } from './record-said.ts'
import type { ApplicationRequest } from './request.gen.ts'
import { addressed } from './subject/addressed.ts'
import { type LeftOut, withLeft } from './subject/asked.ts'
import { deploymentsOf } from './subject/deployments.ts'
import { applicationOf } from './subject/names.ts'
import { demandRight, type Speaker } from './subject/speaker.ts'
import type { Audience } from './subject/subject.ts'

export type Released = {
  /**
   * How many applications are tried again, each as often as there are sites on which it is: the quarantine of one, what
   * bars its versions and its troubles have ended together.
   */
  readonly released: number
  /**
   * Of how many others it is told no more that something of them failed once they served, such as a post hook. That is not
   * tried again (H30). Absent: of none.
   */
  readonly toldNoMore?: number
  /** The deployments that have stopped all the same, and go on once they are resumed; absent: there are none. */
  readonly stopped?: readonly string[]
  /** The sites on which a plan is asked about again that somebody discarded; absent: there are none. */
  readonly askedAgain?: readonly string[]
  /** The sites on which it has no effect; absent: there are none. */
  readonly left?: readonly LeftOut[]
}

/**
 * Lets everything in an environment, or in one application of it, be tried again that failed before (G5), and asks again
 * about what of it somebody discarded (D4).
 */
export async function retry(
  audience: Audience,
  speaker: Speaker,
  given: ApplicationRequest,
): Promise<Released> {
  const { journal } = audience
  const { subject, left } = await addressed(audience, speaker, 'retry', given)
  const application = await applicationOf(audience, subject, given.application)
  const environment = subject.name()
  const { parts, others } = subject.found()
  const isDiscarded = ({ planId, commit }: WaitingPart) => journal.isDiscarded(environment, planId, commit)
  const { ended, askedAgain } = journal.atOnce(() => {
    const discarded = [...parts, ...others].filter(isDiscarded)
    recordSaid(audience, subject, speaker, { verb: 'retry', about: application, message: given.message })
    const ended = failedIn(journal, environment, application)
    journal.releaseQuarantined(environment, application)
    journal.releaseBarred(environment, application)
    journal.forgetTroubles(environment, application)
    const again = discarded.filter(part => !isDiscarded(part))
    return { ended, askedAgain: again.map(({ site }) => site) }
  })
  const stopped = deploymentsOf(audience, environment).flatMap(({ name, run, ...one }) => {
    const isMeant = application === undefined || one.application === application
    return isMeant && run !== undefined && isStopped(runFacts(journal, run)) ? [name] : []
  })
  subject.tryAgain()
  subject.request()
  return {
    released: ended.released,
    ...(ended.toldNoMore === 0 ? {} : { toldNoMore: ended.toldNoMore }),
    ...(stopped.length === 0 ? {} : { stopped }),
    ...(askedAgain.length === 0 ? {} : { askedAgain }),
    ...withLeft(left),
  }
}

/**
 * Records that somebody has what failed tried again by the process that carries it out, which passes over it (G5). If
 * nothing has failed, nothing was said. Fails with `control-forbidden`.
 */
export function retryShown(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  speaker: Speaker,
  environment: string,
): void {
  demandRight(speaker, 'retry')
  const { released, toldNoMore } = failedIn(journal, environment, undefined)
  if (released + toldNoMore === 0) return
  const { who, via } = speaker
  journal.recordAnswer({ environment, verb: 'retry', who, via, atMs: nowMs() })
}

/** Returns how many applications something failed of, each once for each site, and of how many only what came after. */
function failedIn(
  journal: Audience['journal'],
  environment: string,
  application: string | undefined,
): { readonly released: number; readonly toldNoMore: number } {
  const places = (all: readonly { readonly site: string; readonly application: string }[]) =>
    new Set(
      all
        .filter(one => application === undefined || one.application === application)
        .map(one => JSON.stringify([one.site, one.application])),
    )
  const kept = places([...journal.quarantined(environment), ...journal.barred(environment)])
  const after = [...places(journal.troubles(environment))].filter(place => !kept.has(place))
  return { released: kept.size, toldNoMore: after.length }
}
