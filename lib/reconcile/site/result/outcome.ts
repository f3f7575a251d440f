import type { ChangeResult } from '../../../apply/apply.ts'
import { type Change, isPutBack } from '../../../plan/change/change.ts'
import type { Outcome } from '../../../state/pass/outcome.ts'
import { isTrouble } from '../../status/error.ts'
import type { Verdict } from '../decision/needs-approval.ts'
import { wasLost } from './why-unreached.ts'

export type PassFacts = {
  /** Applications that could not be planned. */
  readonly blocked: number
  readonly held: readonly Change[]
  readonly waiting: readonly Change[]
  /** Whether the newest commit cannot be read. */
  readonly isUnreadable: boolean
  /** What a person declined for this plan at this commit. */
  readonly declined: readonly Change[]
  readonly results: readonly ChangeResult[]
  /** Whether the site, one of several, did not answer, or no longer did. */
  readonly isUnreached: boolean
  /** Whether a newer commit ended the wait. */
  readonly superseded: boolean
}

/** Returns in one word how a site stands of which nothing is done now: what waits for a person, and what one declined. */
export function standingOutcome({ wait, declined }: Pick<Verdict, 'wait' | 'declined'>): Outcome {
  if (wait.length > 0) return 'needs-confirmation'
  return declined.length > 0 ? 'declined' : 'planned'
}

/** Returns in one word how a pass ended (G6). */
export function outcomeOf(facts: PassFacts): Outcome {
  const { held, waiting, declined, results, isUnreached, superseded } = facts
  const blocked = facts.blocked + (facts.isUnreadable ? 1 : 0)
  const having = (...wanted: readonly ChangeResult['result'][]) =>
    results.filter(({ result }) => wanted.includes(result))
  if (having('interrupted').length > 0) return superseded ? 'superseded' : 'interrupted'
  const putBack = having('applied').filter(({ change }) => isPutBack(change)).length
  const applied = having('applied').length - putBack
  const rolledBack = having('rolled-back').length + putBack
  const failed = having('failed').filter(done => !(isUnreached && wasLost(done))).length
  return outcomeOfCounts({
    ...{ applied, rolledBack, failed, blocked, isUnreached },
    stuck: held.filter(({ held }) => held !== undefined && isTrouble(held)).length,
    ...{ waiting: waiting.length, declined: declined.length },
  })
}

/** How many changes ended how, and how many others did not begin, and why. */
export type OutcomeCounts = {
  readonly applied: number
  readonly rolledBack: number
  readonly failed: number
  readonly blocked: number
  /** Those that are held because something is wrong. */
  readonly stuck: number
  readonly waiting: number
  readonly declined: number
  /** Whether the site, one of several, did not answer, or no longer did. */
  readonly isUnreached: boolean
}

/** Returns in one word how changes ended together (G6). */
export function outcomeOfCounts(counts: OutcomeCounts): Outcome {
  const { applied, rolledBack, failed, blocked, stuck, waiting, declined, isUnreached } = counts
  const troubled = blocked + stuck + rolledBack + failed
  if ((troubled > 0 || isUnreached) && applied > 0) return 'partially-applied'
  if (applied > 0 && troubled === 0) return 'applied'
  if (isUnreached && failed + rolledBack === 0) return 'unreachable'
  // What was tried and failed is told before what nobody has answered yet.
  const isTried = failed + rolledBack > 0
  if (waiting > 0 && !isTried) return 'needs-confirmation'
  if (declined > 0 && !isTried) return 'declined'
  if (troubled > 0) return rolledBack > 0 && failed === 0 && blocked === 0 ? 'rolled-back' : 'failed'
  return 'in-sync'
}
