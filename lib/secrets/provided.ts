import { type Problem, toFailure } from '../errors.ts'

/** What one provider has now. */
export type Provided = {
  readonly texts: ReadonlyMap<string, string>
  /** Secrets that are there and cannot be read: a later provider must not answer in their place. */
  readonly unreadable?: ReadonlySet<string>
  /** Why the provider as a whole cannot be read: nobody knows what it has. */
  readonly fault?: Problem
  readonly warnings?: readonly Problem[]
}

/** A provider that has nothing. */
export const nothing: Provided = { texts: new Map() }

/** A provider that cannot be read, for the reason that was thrown. */
export function faulty(error: unknown): Provided {
  const { code, message, hint } = toFailure(error)
  return { texts: new Map(), fault: { code, message, hint } }
}
