import { type Problem, toFailure } from '../errors.ts'

/** What one provider has now. */
export type Provided = {
  readonly texts: ReadonlyMap<string, string>
  /** Secrets that exist and cannot be read, and why. A later provider must not answer in their place. */
  readonly unreadable?: ReadonlyMap<string, Problem>
  /** Why the provider as a whole cannot be read. What it has is unknown then. */
  readonly fault?: Problem
  readonly warnings?: readonly Problem[]
}

/** A provider that has nothing. */
export const emptyProvider: Provided = { texts: new Map() }

/** Returns a provider that cannot be read because of an error. */
export function faulty(error: unknown): Provided {
  const { code, message, hint } = toFailure(error)
  return { texts: new Map(), fault: { code, message, hint } }
}
