import type { Problem } from '../errors.ts'
import type { Secret } from './secret.ts'

/** The secrets of one environment, as its providers have them now. */
export type Secrets = {
  /** Undefined when no provider has it. */
  find(name: string): Secret | undefined
  /** The name that was asked for first, of two that would be read from one place; then the second is not found. */
  rival?(name: string): { readonly name: string; readonly place: string } | undefined
  /** Names below a prefix, without it and sorted: `vault/db/` → `['password', 'user']`. */
  below(prefix: string): readonly string[]
  /** Why whom these are for may not have one, or not all below a prefix, if the operator keeps it from them (G23). */
  refusal?(name: string, isPrefix: boolean): string | undefined
  /** A text made of others, as secret as they are. */
  compose(text: string): Secret
  /** Why a provider could not be read, if so: the reason belongs to each application that asks for a secret. */
  readonly fault?: Problem
  /** What should be put right though secrets can be used: files that everybody may read, files that nobody can. */
  readonly warnings?: readonly Problem[]
  /** Keyed hash over everything that was read: changes when any secret does. */
  readonly mark: string
}
