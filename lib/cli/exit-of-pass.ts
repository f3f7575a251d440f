import { hindrancesIn, type PassResult } from '../reconcile/site/result/pass-result.ts'
import { hasFailed, type Outcome } from '../state/pass/outcome.ts'
import { exitCode } from './exit.ts'

/**
 * Returns the exit code of an apply, or of an approval that was followed to its end. A site that was not reached does
 * not have what it should have, so that not all is done.
 */
export function exitCodeOfPass(end: Pick<PassResult, 'outcome' | 'errors' | 'unreachable'>): number {
  const isHindered = hindrancesIn(end).length > 0
  return Math.max(exitCodeOf(end.outcome), isHindered ? exitCode.failed : exitCode.done)
}

function exitCodeOf(outcome: Outcome): number {
  if (hasFailed(outcome)) return exitCode.failed
  return outcome === 'needs-confirmation' ? exitCode.confirmationNeeded : exitCode.done
}
