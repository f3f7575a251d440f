import { sumOf } from '../numbers.ts'
import { approvalEndMs } from '../reconcile/site/decision/approval-end.ts'
import type { WaitingItem } from '../reconcile/site/decision/needs-approval.ts'
import type { WaitingPart } from '../reconcile/status/last-state.ts'
import { answerNextBatch, type NextBatch } from './next-batch.ts'
import { answerPlan } from './plan/answer-plan.ts'
import type { AnswerRequest } from './request.gen.ts'
import { addressedAmong } from './subject/addressed.ts'
import { type Asked, type LeftOut, withLeft } from './subject/asked.ts'
import { demandRight, type Speaker } from './subject/speaker.ts'
import type { Audience, Heeding, Subject } from './subject/subject.ts'

/** What an approval covers, how to follow it, and the last step before it. */
export type Approved = Partial<Heeding> & {
  readonly approved: string
  readonly environment: string
  readonly changes: number
  readonly removalsLeft?: number
  /** The sites of the plan that it does not cover; absent: there are none. */
  readonly left?: readonly LeftOut[]
  readonly after: number
  /** Present if it is about the sites that follow canaries. */
  readonly nextBatch?: NextBatch
}

/**
 * Approves the changes of a plan that wait, or lets the other sites follow the canaries of a deployment. Removals come
 * last: they wait for a separate confirmation, which comes with the next plan (D3). Fails if the plan does not wait or
 * has an answer.
 */
export async function approve(
  audience: Audience,
  speaker: Speaker,
  given: AnswerRequest & { readonly id: string },
): Promise<Approved> {
  await addressedAmong(audience, speaker, 'approve', given)
  const nextBatch = answerNextBatch(audience, speaker, given, 'approve')
  if (nextBatch !== undefined) return { ...nextBatch, approved: given.id, changes: 0, after: 0 }
  return answerPlan(audience, given, ({ subject, id, commit, parts, agreed, left }) => {
    const waiting = parts.flatMap(({ items }) => items)
    const isOnlyRemovals = waiting.every(({ isRemoval }) => isRemoval)
    const isCovered = ({ isRemoval }: WaitingItem) => isOnlyRemovals || !isRemoval
    const environment = subject.name()
    const { after } = audience.journal.stepsAfter(environment)
    consent(audience, subject, speaker, {
      environment,
      id,
      commit,
      parts: [
        ...parts.map(part => ({ ...part, items: part.items.filter(isCovered) })),
        // They are part of the plan that was shown, so its id takes their approval back too.
        ...agreed.map(part => ({ ...part, items: [] })),
      ],
      message: given.message,
    })
    const changes = countIn(parts, isCovered)
    const removalsLeft = countIn(parts, item => !isCovered(item))
    return {
      approved: id,
      environment,
      changes,
      ...(removalsLeft === 0 ? {} : { removalsLeft }),
      ...withLeft(left),
      ...subject.request(),
      after,
    }
  })
}

/** Counts services on sites: several releases of one may be approved, which it gets one after the other. */
function countIn(parts: Asked['parts'], isMeant: (item: WaitingItem) => boolean): number {
  const resources = parts.map(({ items }) => new Set(items.filter(isMeant).map(({ resource }) => resource)))
  return sumOf(resources, ({ size }) => size)
}

/** What somebody consents to: changes of the plan of each site, of those that were shown. */
export type Consent = {
  readonly environment: string
  /** The plan that was shown, of one site or of all together. */
  readonly id: string
  readonly commit: string
  readonly parts: readonly Pick<WaitingPart, 'site' | 'planId' | 'commit' | 'items'>[]
  readonly message?: string | undefined
}

/**
 * Approves what somebody was just shown and asked about by the process that carries it out. Whether that is the writer
 * shows as soon as it does. Fails with `control-forbidden`.
 */
export function approveShown(
  audience: Pick<Audience, 'journal' | 'nowMs'>,
  subject: Pick<Subject, 'approvalExpiresMs'>,
  speaker: Speaker,
  shown: Consent,
): void {
  demandRight(speaker, 'approve')
  consent(audience, subject, speaker, shown)
}

/**
 * Records somebody's consent: the approval, which lasts longer on a site where something waits for its turn or its window
 * (X18), and that it was said.
 */
function consent(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  { approvalExpiresMs }: Pick<Subject, 'approvalExpiresMs'>,
  { who, via }: Speaker,
  { environment, id, commit, parts, message = '' }: Consent,
): void {
  const atMs = nowMs()
  const said = { environment, who, via, ...(message === '' ? {} : { message }), atMs }
  const ending = parts.map(part => ({
    ...part,
    expiresAtMs: approvalEndMs(part.items, atMs, approvalExpiresMs),
  }))
  journal.atOnce(() => {
    journal.approve({ ...said, planId: id, commit, parts: ending, expiresAtMs: atMs + approvalExpiresMs })
    journal.recordAnswer({ ...said, verb: 'approve', about: id })
  })
}
