import { Failure } from '../../errors.ts'
import { leftOut, unheard } from '../subject/addressed.ts'
import { type Answerable, type Asked, answerable, askedIn } from '../subject/asked.ts'
import { findEnvironment } from '../subject/names.ts'
import type { Audience, Subject } from '../subject/subject.ts'
import { answered, isUnderWay, notAsked, passesOf } from './plan-fate.ts'

/** How long an unknown plan is looked for. The command that asks waits a little longer. */
const lookMs = 25_000

/** How long an answer waits for the look at what was just applied, which usually takes well under a second. */
const verifiedMs = 8_000

/**
 * The only place where an answer to a plan is taken. One transaction checks that the plan waits now, in the environment
 * that was named, and which of its sites nobody has answered for, and writes the answer for these. A plan that nobody
 * knows yet is looked for first. While something was applied that no pass has looked at yet, what waited before says
 * nothing about what waits now, so the answer is taken after that look.
 */
export async function answerPlan<Said>(
  audience: Audience,
  { id, environment }: { readonly id: string; readonly environment?: string },
  write: (asked: Answerable) => Said,
): Promise<Said> {
  const { subjects, journal } = audience
  const isAsked = () => askedIn(subjects, id) !== undefined
  // `plan` has just shown it to somebody. The daemon knows it once a pass has looked.
  if (!isAsked() && !subjects.some(one => isUnderWay(audience, one, id)))
    await Promise.all(subjects.map(one => one.look(lookMs, isAsked)))
  await Promise.all(subjects.map(one => one.until(() => !isUnverified(one, id), verifiedMs)))
  return journal.atOnce(() => {
    const asked = askedIn(subjects, id)
    demandEnvironment(audience, asked?.subject, id, environment)
    if (asked === undefined) throw notAsked(audience, id)
    const open = answerable(audience, asked)
    demandOpen(audience, asked, open)
    return write(open)
  })
}

/** Whether a site that the plan is of has yet to be looked at after its last change. */
function isUnverified(subject: Subject, id: string): boolean {
  const { unverified } = subject.found()
  const parts = askedIn([subject], id)?.parts ?? []
  // The plan of several sites is also of those on which nothing waits.
  const isOfSeveral = parts.some(({ planId }) => planId !== id)
  return isOfSeveral ? unverified.length > 0 : parts.some(({ site }) => unverified.includes(site))
}

function demandEnvironment(
  { subjects, journal }: Audience,
  asked: Subject | undefined,
  id: string,
  environment: string | undefined,
): void {
  if (environment === undefined) return
  const named = findEnvironment(subjects, environment)
  const owner = asked ?? subjects.find(one => passesOf(journal, one, id).length > 0)
  if (owner === undefined || owner === named) return
  throw new Failure(
    'wrong-usage',
    `plan ${id} belongs to the environment ${owner.name()}, not to ${named.name()}`,
    { hint: `Name ${owner.name()}, or no environment.` },
  )
}

/** Fails if nothing of the plan can be answered, and says why. */
function demandOpen(audience: Audience, asked: Asked, { parts, left }: Answerable): void {
  const { subject, id } = asked
  if (parts.length > 0) return
  const sites = asked.parts.map(({ site }) => site)
  if (leftOut(subject, sites).length === sites.length) throw unheard(subject, sites)
  if (audience.journal.wordsOn(subject.name(), id).length > 0) throw answered(audience, subject, id)
  const reasons = [...Map.groupBy(left, ({ reason }) => reason)].map(
    ([reason, sites]) => `${sites.map(({ site }) => site).join(', ')}: ${reason}`,
  )
  throw new Failure('plan-answered', `plan ${id} was answered on each of its sites: ${reasons.join('; ')}`)
}
