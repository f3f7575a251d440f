import type { Problem } from '../errors.ts'

/** What was found in files, by file and line. */
export type Findings = {
  /** What prevents something from being run. */
  readonly problems: readonly Problem[]
  /** What may be a mistake, and often is one. */
  readonly warnings: readonly Problem[]
}
