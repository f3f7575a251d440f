import { hasFailed, type Outcome } from '../state/outcome.ts'

/** The exit codes of all commands (interface, section 3). */
export const exitCode = {
  done: 0,
  failed: 1,
  changesPending: 2,
  confirmationNeeded: 3,
  wrongUsage: 64,
} as const

/** Returns the exit code of an apply, or of an approval that was followed to its end. */
export function exitCodeOfPass(outcome: Outcome, errors: readonly unknown[]): number {
  return Math.max(exitCodeOf(outcome), errors.length > 0 ? exitCode.failed : exitCode.done)
}

function exitCodeOf(outcome: Outcome): number {
  if (hasFailed(outcome)) return exitCode.failed
  return outcome === 'needs-confirmation' ? exitCode.confirmationNeeded : exitCode.done
}
