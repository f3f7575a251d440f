import type { ApprovedItem } from '../journal/approvals.ts'
import type { AnswerRequest } from './request.gen.ts'
import { demandRight, type Speaker } from './speaker.ts'
import type { Audience, HeedingPasses, Subject } from './subject.ts'
import { answerPlan } from './waiting-plan.ts'

/** What an approval covers, and how to follow it: the passes that may carry it out, and the last step before it. */
export type Approved = Partial<HeedingPasses> & {
  readonly approved: string
  readonly environment: string
  readonly changes: number
  readonly removalsLeft?: number
  readonly after: number
}

/**
 * Approves the changes of a plan that wait. Removals come last: they wait for a separate confirmation, which comes with
 * the next plan (D3). Fails if the plan does not wait or has an answer.
 */
export async function approve(
  audience: Audience,
  speaker: Speaker,
  given: AnswerRequest & { readonly id: string },
): Promise<Approved> {
  demandRight(speaker, 'approve')
  return answerPlan(audience, given, ({ subject, plan }) => {
    const { id, commit, waiting } = plan
    const others = waiting.filter(({ isRemoval }) => !isRemoval)
    const covered = others.length > 0 ? others : waiting
    const environment = subject.name()
    const { after } = audience.journal.stepsAfter(environment)
    consent(audience, subject, speaker, { environment, id, commit, items: covered, message: given.message })
    const left = waiting.length - covered.length
    return {
      approved: id,
      environment,
      changes: covered.length,
      ...(left === 0 ? {} : { removalsLeft: left }),
      ...subject.request(),
      after,
    }
  })
}

/** The changes of a plan to which somebody consents. */
export type Consent = {
  readonly environment: string
  readonly id: string
  readonly commit: string
  readonly items: readonly ApprovedItem[]
  readonly message?: string | undefined
}

/** Records somebody's consent to changes of a plan: the approval, and that it was said. */
export function consent(
  { journal, nowMs }: Pick<Audience, 'journal' | 'nowMs'>,
  { approvalExpiresMs }: Pick<Subject, 'approvalExpiresMs'>,
  { who, via }: Speaker,
  { environment, id, commit, items, message = '' }: Consent,
): void {
  const atMs = nowMs()
  const said = { environment, who, via, ...(message === '' ? {} : { message }), atMs }
  journal.atOnce(() => {
    journal.approve({
      ...said,
      planId: id,
      commit,
      items: items.map(({ site, resource, action, release }) => ({ site, resource, action, release })),
      expiresAtMs: atMs + approvalExpiresMs,
    })
    journal.recordAnswer({ ...said, verb: 'approve', about: id })
  })
}
