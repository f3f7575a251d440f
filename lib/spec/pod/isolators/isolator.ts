import type { SystemCallFilter } from '../../../state/application/container/container.ts'
import type { Quantity } from '../grammar/quantity.ts'

/** What an isolator is set to, by its name (C40). */
export type Isolator =
  | { readonly kind: 'memory'; readonly limit?: Quantity; readonly request?: Quantity }
  | { readonly kind: 'cpu'; readonly limit?: Quantity; readonly request?: Quantity }
  | ({ readonly kind: 'retain-capabilities' } & Capabilities)
  | ({ readonly kind: 'remove-capabilities' } & Capabilities)
  | ({ readonly kind: 'system-calls' } & SystemCalls)
  | { readonly kind: 'no-new-privileges'; readonly isOn: boolean }
  | { readonly kind: 'oom-score-adj'; readonly value: number }
  | { readonly kind: 'cpu-shares'; readonly value: number }
  | { readonly kind: 'apparmor-profile'; readonly profile: string }
  | { readonly kind: 'selinux-context'; readonly options: readonly string[] }
  | { readonly kind: 'sysctl'; readonly values: Readonly<Record<string, string>> }
  /** It has the right form, and no engine can do it. */
  | { readonly kind: 'unsupported'; readonly why: string }

type Capabilities = {
  readonly set: readonly string[]
  /** What is written there and is no capability. */
  readonly leftOut?: readonly string[]
}

/** What a set of system calls is made into, and what in it is no system call. */
export type SystemCalls = {
  /** `unfiltered`: all that there are. `usual`: what the engine permits by itself. */
  readonly filter: SystemCallFilter | 'unfiltered' | 'usual'
  readonly leftOut?: readonly string[]
  /** Sets of other implementations, without which nobody knows what is meant. */
  readonly unknown?: readonly string[]
}

/** An isolator as a manifest names it, and its place in the list, where wrong ones stand, too. */
export type NamedIsolator = {
  readonly name: string
  readonly index: number
  readonly isolator: Isolator
}
