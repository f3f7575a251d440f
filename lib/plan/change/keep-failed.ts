import type { Step } from '../step/step.ts'
import type { Change } from './change.ts'

/**
 * Returns the same change with an undo that keeps the containers that it would remove: the newest `keep` of each of a
 * service's containers stay for people to look at.
 */
export function keepingFailed(change: Change, keep: number): Change {
  if (keep === 0) return change
  const kept = (step: Step): Step =>
    step.do === 'remove-container' ? { do: 'keep-failed', container: step.container, keep } : step
  return { ...change, undo: change.undo.map(stage => stage.map(kept)) }
}
