import type { Flags } from '../../config/overlay.ts'

/** The flags of every command. */
export type CommonFlags = Flags & {
  readonly output?: string
  readonly color?: boolean
  readonly server?: string
}

/** The flags of commands that print a plan: nothing is left out; all sites are named. */
export type PlanDetailFlags = { readonly verbose?: boolean; readonly sites?: boolean }

/** The flags of `rollback`. */
export type RollbackFlags = {
  readonly now?: boolean
  /** Whether sites whose upgrade window is closed go back at once, too. */
  readonly outsideWindow?: boolean
  readonly to?: string
  readonly message?: string
  /** An older name of `message`. */
  readonly reason?: string
  readonly yes?: boolean
  readonly patch?: string
}
