import { optional } from '../object.ts'
import { splitKey } from '../plan/change/change.ts'
import type { WaitingItem } from '../reconcile/site/decision/needs-approval.ts'
import { answerNextBatch, type NextBatch } from './next-batch.ts'
import { answerPlan } from './plan/answer-plan.ts'
import type { AnswerRequest } from './request.gen.ts'
import { addressedAmong } from './subject/addressed.ts'
import { answerable, askedIn, type LeftOut, withLeft } from './subject/asked.ts'
import { findEnvironment } from './subject/names.ts'
import type { Speaker } from './subject/speaker.ts'
import type { Audience, Subject } from './subject/subject.ts'

export type Discarded = {
  readonly discarded: string
  readonly environment: string
  /** The sites on which an approval of it had begun, and is carried out; absent: there are none. */
  readonly begun?: readonly string[]
  /** The other sites of the plan on which it does not count; absent: there are none. */
  readonly left?: readonly LeftOut[]
  /** Present if it is about the sites that follow canaries: they do not get the version. */
  readonly nextBatch?: NextBatch
}

type Given = AnswerRequest & { readonly id: string }

/**
 * Discards the changes of a plan that wait, at its commit (D4), or takes back the approval of a plan on the sites on
 * which nothing of it has begun. Fails if the plan neither waits nor can be taken back, or was discarded before.
 */
export async function discard(audience: Audience, speaker: Speaker, given: Given): Promise<Discarded> {
  await addressedAmong(audience, speaker, 'discard', given)
  const ended = answerNextBatch(audience, speaker, given, 'discard')
  if (ended !== undefined)
    return { discarded: given.id, environment: ended.environment, nextBatch: ended.nextBatch }
  const taken = audience.journal.atOnce(() => takeBack(audience, speaker, given))
  if (taken !== undefined) return taken
  return answerPlan(audience, given, ({ subject, commit, parts, left }) => {
    const own = { planId: given.id, commit }
    return { ...decline(audience, subject, speaker, given, own, parts), ...withLeft(left) }
  })
}

/**
 * Takes back the approvals of a plan, or of the plans of sites that it is made of, and discards what of it still waits.
 * Undefined if there is no such approval, or if each has begun.
 */
function takeBack(audience: Audience, speaker: Speaker, given: Given): Discarded | undefined {
  const { subjects, journal, nowMs } = audience
  const { id, environment } = given
  const named = environment === undefined ? subjects : [findEnvironment(subjects, environment)]
  for (const subject of named) {
    const asked = askedIn([subject], id)
    const ids = [id, ...(asked?.parts ?? []).map(({ planId }) => planId)]
    const open = asked === undefined ? [] : answerable(audience, asked).parts
    const taken = journal.takeBackApprovals(subject.name(), ids, nowMs())
    const [first] = taken?.plans ?? []
    if (taken === undefined || first === undefined) continue
    const own = { planId: id, commit: asked?.commit ?? first.commit }
    const discarded = decline(audience, subject, speaker, given, own, [...taken.plans, ...open])
    return taken.begun.length === 0 ? discarded : { ...discarded, begun: taken.begun }
  }
  return undefined
}

/** A plan, and a commit that wants it. */
type PlanAt = { readonly planId: string; readonly commit: string }

/** The plan of a site, and what was answered of it: what waits, or the applications of which something was approved. */
type PlanOfSite = PlanAt & {
  readonly site: string
  readonly items?: readonly Pick<WaitingItem, 'resource'>[]
  readonly applications?: readonly string[]
}

/** Records a no to a plan, and to the plans of the sites that it is made of. */
function decline(
  { journal, nowMs }: Audience,
  subject: Subject,
  { who, via }: Speaker,
  { id, message = '' }: Given,
  asked: PlanAt,
  parts: readonly PlanOfSite[],
): Discarded {
  const environment = subject.name()
  const said = { environment, who, ...(message === '' ? {} : { message }), atMs: nowMs() }
  const own = parts.map(({ planId, commit, ...of }) => ({ planId, commit, of: rejectedIn(of) }))
  const together = { ...asked, of: joined(own) }
  const plans = Map.groupBy([together, ...own], ({ planId, commit }) => JSON.stringify([planId, commit]))
  for (const all of plans.values())
    for (const { planId, commit } of all.slice(0, 1))
      journal.discard({ ...said, planId, commit, ...optional('applications', joined(all)) })
  for (const { site } of parts) journal.clearWaiting(environment, site)
  journal.recordAnswer({ ...said, via, verb: 'discard', about: id })
  subject.request()
  return { discarded: id, environment }
}

/** Returns the applications of which something is rejected on a site; undefined: that is not known. */
function rejectedIn({ items, applications }: Omit<PlanOfSite, keyof PlanAt>): readonly string[] | undefined {
  if (items === undefined) return applications
  return [...new Set(items.map(({ resource }) => splitKey(resource).application))]
}

/** Returns the applications of several rejections; undefined: those of one are not known. */
function joined(
  all: readonly { readonly of: readonly string[] | undefined }[],
): readonly string[] | undefined {
  const known = all.flatMap(({ of }) => (of === undefined ? [] : [of]))
  return known.length < all.length || all.length === 0 ? undefined : [...new Set(known.flat())]
}
