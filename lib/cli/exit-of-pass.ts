import { hasFailed, type Outcome } from '../state/pass/outcome.ts'
import { exitCode } from './exit.ts'

/** Returns the exit code of an apply, or of an approval that was followed to its end. */
export function exitCodeOfPass(outcome: Outcome, errors: readonly unknown[]): number {
  return Math.max(exitCodeOf(outcome), errors.length > 0 ? exitCode.failed : exitCode.done)
}

function exitCodeOf(outcome: Outcome): number {
  if (hasFailed(outcome)) return exitCode.failed
  return outcome === 'needs-confirmation' ? exitCode.confirmationNeeded : exitCode.done
}
