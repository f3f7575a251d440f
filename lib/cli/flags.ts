import type { Flags } from '../config/overlay.ts'

/** The flags of every command. */
export type CommonFlags = Flags & {
  readonly output?: string
  readonly color?: boolean
  readonly server?: string
}

/** The flag of commands that print a plan: nothing is left out. */
export type VerboseFlag = { readonly verbose?: boolean }
