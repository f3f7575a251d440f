import { timeText } from '../../../text/time.ts'

/** What a person has to approve before an application goes on. */
export type AwaitedApproval = {
  /** `first`: not the application itself, but what it comes after. */
  readonly of: 'itself' | 'first'
  /** The plan of its site. */
  readonly plan: string
  /** Who said no to that plan at its commit, and when, in ISO 8601; absent: nobody. */
  readonly declined?: { readonly who: string; readonly at: string; readonly message?: string }
}

/**
 * Returns who said no, and what helps:
 * `was discarded by lou at 2026-11-22 21:24:21 (not today), and another commit asks again`.
 */
export function declinedText({ who, at, message }: NonNullable<AwaitedApproval['declined']>): string {
  const why = message === undefined ? '' : ` (${message})`
  return `was discarded by ${who} at ${timeText(Date.parse(at))}${why}, and another commit asks again`
}
