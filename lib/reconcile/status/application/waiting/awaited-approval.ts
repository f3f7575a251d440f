/** What a person has to approve before an application goes on. */
export type AwaitedApproval = {
  /** `first`: not the application itself, but what it comes after. */
  readonly of: 'itself' | 'first'
  /** The plan of its site. */
  readonly plan: string
  /**
   * Who said no to that plan at its commit, and when, in ISO 8601, and the command that asks again, besides another commit;
   * absent: nobody.
   */
  readonly declined?: {
    readonly who: string
    readonly at: string
    readonly message?: string
    readonly again?: string
  }
}

/**
 * Returns who said no, and what helps:
 * `was discarded by lou at 2026-11-22T21:24:21.000Z (not today), and another commit asks again, or "tallyman retry shop"`.
 */
export function declinedText({ who, at, message, again }: NonNullable<AwaitedApproval['declined']>): string {
  const why = message === undefined ? '' : ` (${message})`
  const word = again === undefined ? '' : `, or "${again}"`
  return `was discarded by ${who} at ${at}${why}, and another commit asks again${word}`
}
