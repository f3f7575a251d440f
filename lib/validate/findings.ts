import type { Problem } from '../errors.ts'

/** What was found in files, by file and line. */
export type Findings = {
  /** What keeps something from being run. */
  readonly problems: readonly Problem[]
  /** What may be meant, and often is not. */
  readonly warnings: readonly Problem[]
}
