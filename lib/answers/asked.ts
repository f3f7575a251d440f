import { Failure } from '../errors.ts'
import type { WaitingPart } from '../reconcile/status/last-state.ts'
import type { Subject } from './subject.ts'

/** A plan that waits for an answer, of one site or of several. */
export type Asked = {
  readonly subject: Subject
  readonly id: string
  readonly commit: string
  /** What waits on each site that is answered for. */
  readonly parts: readonly WaitingPart[]
  /** The other sites of the plan. */
  readonly left: readonly LeftOut[]
}

/** A site of a plan on which an answer does not count, and why. */
export type LeftOut = { readonly site: string; readonly reason: string }

/** Returns what waits under that id, of one site or of several together; undefined: nothing does. */
export function askedIn(subjects: readonly Subject[], id: string): Asked | undefined {
  for (const subject of subjects) {
    const { plan, parts } = subject.found()
    if (plan?.id === id && parts.length > 0) return { subject, id, commit: plan.commit, parts, left: [] }
    const own = parts.filter(({ planId }) => planId === id)
    const [part] = own
    if (part !== undefined) return { subject, id, commit: part.commit, parts: own, left: [] }
  }
  return undefined
}

/**
 * Returns what is asked without the sites on which another process writes: a word would not reach it. Fails with
 * `another-writer` if there is no other site.
 */
export function written(asked: Asked): Asked {
  const rivals = asked.parts.flatMap(({ site, errors }) =>
    errors.filter(({ code }) => code === 'another-writer').map(rival => ({ site, ...rival })),
  )
  const [first] = rivals
  if (first === undefined) return asked
  const sites = new Set(rivals.map(({ site }) => site))
  const parts = asked.parts.filter(({ site }) => !sites.has(site))
  if (parts.length === 0) throw new Failure('another-writer', first.message, { hint: first.hint })
  return { ...asked, parts, left: rivals.map(({ site, message }) => ({ site, reason: message })) }
}
