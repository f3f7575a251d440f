import type { Word } from '../../../../journal/decisions/said-of-plans.ts'
import type { Journal } from '../../../../journal/journal.ts'
import { optional } from '../../../../object.ts'
import { type Change, type Plan, splitKey } from '../../../../plan/change/change.ts'
import { isoText } from '../../../../text/time.ts'
import { behindText } from '../../../site/decision/behind.ts'
import type { Verdict } from '../../../site/decision/needs-approval.ts'
import type { ApplicationStatus } from '../application-status.ts'
import { declinedText } from './awaited-approval.ts'

/**
 * Says of the applications on a site what a person has to approve before they go on, and of those that come after
 * something else, what that is (G13). What is held or unknown waits for something else.
 */
export function withApprovals(
  applications: readonly ApplicationStatus[],
  { id: plan, changes }: Plan,
  { wait, declined, behind }: Verdict,
): readonly ApplicationStatus[] {
  if (wait.length + declined.length === 0) return applications
  const asked = new Set([...wait, ...declined].map(({ application }: Change) => application))
  const first = new Map(
    [...behind].toReversed().map(([key, after]) => [splitKey(key).application, behindText(after, changes)]),
  )
  return applications.map(one => {
    if (one.code !== undefined || one.sync !== 'OutOfSync') return one
    const reason = first.get(one.application)
    if (reason !== undefined) return { ...one, reason, approval: { of: 'first', plan } }
    return asked.has(one.application) ? { ...one, approval: { of: 'itself', plan } } : one
  })
}

/** Who answers plans, and how. */
type Answers = {
  readonly environment: string
  readonly journal: Pick<Journal, 'wordsOn'>
  /** The commit that was compared with what runs. */
  readonly commit: string | undefined
  /** What `tallyman approve` takes now; undefined: nothing, or nobody would hear it. */
  readonly approve: string | undefined
}

/** Says of applications that wait for an approval how it is given, or who declined it. */
export function withAnswers(
  applications: readonly ApplicationStatus[],
  { environment, journal, commit, approve }: Answers,
): readonly ApplicationStatus[] {
  const plans = new Map<string, Word | undefined>()
  const declinedOf = (plan: string) => {
    if (!plans.has(plan)) {
      const [word] = journal.wordsOn(environment, plan)
      plans.set(plan, word?.word === 'discarded' && word.commit === commit ? word : undefined)
    }
    return plans.get(plan)
  }
  return applications.map(one => {
    if (one.approval === undefined) return one
    const { of, plan } = one.approval
    const no = declinedOf(plan)
    if (no === undefined)
      return of === 'first' && approve !== undefined
        ? { ...one, reason: `${one.reason}: tallyman approve ${approve}` }
        : one
    const declined = {
      ...{ who: no.who, at: isoText(no.atMs), ...optional('message', no.message) },
      // What comes first was declined of another application.
      ...optional('again', of === 'itself' ? `tallyman retry ${one.application}` : undefined),
    }
    const reason = of === 'first' ? `${one.reason}; that ${declinedText(declined)}` : one.reason
    return { ...one, reason, approval: { of, plan, declined } }
  })
}
