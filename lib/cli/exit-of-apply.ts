import { hindrancesIn, type PassResult } from '../reconcile/site/result/pass-result.ts'
import { hasFailed, type Outcome } from '../state/pass/outcome.ts'
import { exitCode, gravestCode, type PartCode } from './exit.ts'

/**
 * Returns the exit code of an apply, or of an approval that was followed to its end. A site that was not reached does
 * not have what it should have, so that not all is done.
 */
export function exitCodeOfApply(end: Pick<PassResult, 'outcome' | 'errors' | 'unreachable'>): PartCode {
  const isHindered = hindrancesIn(end).length > 0
  return gravestCode([exitCodeOf(end.outcome), isHindered ? exitCode.failed : exitCode.done])
}

function exitCodeOf(outcome: Outcome): PartCode {
  if (hasFailed(outcome)) return exitCode.failed
  return outcome === 'needs-confirmation' ? exitCode.confirmationNeeded : exitCode.done
}
