import type { Flags } from '../config/overlay.ts'

/** The flags every command takes. */
export type CommonFlags = Flags & {
  readonly output?: string
  readonly color?: boolean
  readonly server?: string
}

/** Of commands that print a plan: with nothing left out. */
export type VerboseFlag = { readonly verbose?: boolean }
