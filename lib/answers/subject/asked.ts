import type { Word } from '../../journal/decisions/said-of-plans.ts'
import type { WaitingPart } from '../../reconcile/status/last-state.ts'
import { timeText } from '../../text/time.ts'
import type { Audience, Subject } from './subject.ts'

/** A plan that waits, of one site or of several. */
export type Asked = {
  readonly subject: Subject
  readonly id: string
  readonly commit: string
  /** What waits on each site. */
  readonly parts: readonly WaitingPart[]
  /** Its parts on sites where nothing waits. */
  readonly others: readonly WaitingPart[]
}

/** What of a plan an answer can be given to. */
export type Answerable = Asked & {
  /** Those of its parts that were approved since a pass found them: they are shown, and not answered again. */
  readonly agreed: readonly WaitingPart[]
  /** The sites of all its other parts, but for those on which there was nothing to answer. */
  readonly left: readonly LeftOut[]
}

/** A site on which what was said does not count, and why. */
export type LeftOut = { readonly site: string; readonly reason: string }

/** Returns the part of an answer that names such sites; none if there are none. */
export function withLeft(left: readonly LeftOut[]): { readonly left?: readonly LeftOut[] } {
  return left.length === 0 ? {} : { left }
}

/** Splits the plans of sites into those in which something waits and the others. */
export function waitingAmong(plans: readonly WaitingPart[]): Pick<Asked, 'parts' | 'others'> {
  const waits = ({ items }: WaitingPart) => items.length > 0
  return { parts: plans.filter(waits), others: plans.filter(one => !waits(one)) }
}

/** Returns what waits under that id, of one site or of several together; undefined: nothing does. */
export function askedIn(subjects: readonly Subject[], id: string): Asked | undefined {
  for (const subject of subjects) {
    const { plan, parts, others, shownEarlier = () => [] } = subject.found()
    if (plan?.id === id && parts.length > 0) return { subject, id, commit: plan.commit, parts, others }
    const ids = new Set([id, ...shownEarlier(id)])
    const isOwn = ({ planId }: WaitingPart) => ids.has(planId)
    const own = parts.filter(isOwn)
    const [part] = own
    if (part !== undefined)
      return { subject, id, commit: part.commit, parts: own, others: others.filter(isOwn) }
  }
  return undefined
}

/**
 * Returns what of a plan can be answered now: not the sites on which another process writes, because no answer reaches
 * it, and not those whose plan was answered since a pass last found it waiting there. What still waits after that pass
 * is asked anew. An answer with a time in the future was given before the clock was set back.
 */
export function answerable(audience: Pick<Audience, 'journal' | 'nowMs'>, asked: Asked): Answerable {
  const { subject, parts, others } = asked
  const rivals = subject.rivals()
  const standing = parts.map(part => {
    const rival = rivals.get(part.site)
    const word = rival === undefined ? wordOn(audience, subject.name(), part) : undefined
    return { part, word, reason: rival?.message ?? (word && `its plan ${wordText(word)}`) }
  })
  return {
    ...asked,
    parts: standing.flatMap(({ part, reason }) => (reason === undefined ? [part] : [])),
    agreed: standing.flatMap(({ part, word }) => (word?.word === 'approved' ? [part] : [])),
    left: [
      ...standing.flatMap(({ part: { site }, reason }) => (reason === undefined ? [] : [{ site, reason }])),
      // A pass has heeded their no since, so that they wait no more.
      ...others.flatMap(part => {
        const word = wordOn(audience, subject.name(), part)
        return word?.word === 'discarded' ? [{ site: part.site, reason: `its plan ${wordText(word)}` }] : []
      }),
    ],
  }
}

function wordOn(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  environment: string,
  { planId, commit, endedMs }: WaitingPart,
): Word | undefined {
  return journal
    .wordsOn(environment, planId)
    .find(said =>
      said.word === 'discarded' ? said.commit === commit : said.atMs >= endedMs && said.atMs <= nowMs(),
    )
}

/** Returns what somebody answered, after the name of a plan: `was approved by ann at 2026-11-22 21:24:21`. */
export function wordText({ word, who, atMs }: Word): string {
  return `was ${word} by ${who} at ${timeText(atMs)}`
}
