/** What a person has to approve before an application goes on. */
export type AwaitedApproval = {
  /** `first`: not the application itself, but what it comes after. */
  readonly of: 'itself' | 'first'
  /** The plan of its site. */
  readonly plan: string
  /** Who said no to that plan at its commit; absent: nobody. */
  readonly declined?: { readonly who: string; readonly message?: string }
}

/** Returns who said no, and what helps: `was discarded by lou (not today), and another commit asks again`. */
export function declinedText({ who, message }: NonNullable<AwaitedApproval['declined']>): string {
  const why = message === undefined ? '' : ` (${message})`
  return `was discarded by ${who}${why}, and another commit asks again`
}
