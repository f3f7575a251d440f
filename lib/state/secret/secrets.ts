import type { Problem } from '../../errors.ts'
import type { Secret } from './secret.ts'

/** The secrets of one environment, as its providers have them now. */
export type Secrets = {
  /** Undefined if no provider has it. */
  find(name: string): Secret | undefined
  /** Returns why a secret that exists is not found: it cannot be read. */
  unreadable?(name: string): Problem | undefined
  /**
   * If two names would be read from the same place, returns the one that was asked for first. The second is not found
   * then.
   */
  rival?(name: string): { readonly name: string; readonly place: string } | undefined
  /**
   * Returns the names below a prefix, without it and sorted: `vault/db/` → `['password', 'user']`; undefined: it is not
   * known which there are, and each that is asked for exists.
   */
  below(prefix: string): readonly string[] | undefined
  /** Returns why the operator does not allow this application a secret, or all secrets below a prefix (G23). */
  refusal?(name: string, isPrefix: boolean): string | undefined
  /** Composes a text of secrets, which is as secret as they are. */
  compose(text: string): Secret
  /** Why a provider could not be read. It blocks each application that asks for a secret. */
  readonly fault?: Problem
  /**
   * What should be corrected although secrets can be used: files that everybody may read, files that nobody can read.
   */
  readonly warnings?: readonly Problem[]
  /** A keyed hash over everything that was read. It changes with any secret. */
  readonly mark: string
}
