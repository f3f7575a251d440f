import type { Problem } from '../errors.ts'
import type { Application } from './application.ts'
import type { Revision } from './revision.ts'

/** What a revision wants to run in one environment. */
export type DesiredState = {
  readonly environment: string
  /** The repository without credentials, normalised: what the label `tallyman.source` says. */
  readonly source: string
  readonly revision: Revision
  readonly skipConfirmation: boolean
  readonly applications: readonly Application[]
  /** Applications that cannot be planned, each with what is wrong; nothing of theirs is touched (D15). */
  readonly blocked: readonly Blocked[]
  readonly warnings: readonly Problem[]
}

export type Blocked = { readonly application: string; readonly problems: readonly [Problem, ...Problem[]] }
