import type { StepEvent } from '../../state/pass/step-event.ts'
import type { PassResult } from '../site/pass-result.ts'

/** What is new of a plan that somebody follows. */
export type Followed = {
  readonly events: readonly StepEvent[]
  /** The number of the last event: the next question asks for those after it. */
  readonly after: number
  /** Once there is nothing more to come. */
  readonly ended?: Ended
}

/** How the passes ended that carried a plan out. */
export type Ended = Pick<PassResult, 'outcome' | 'errors'> &
  Partial<Pick<PassResult, 'passId' | 'sync'>> & {
    /** How many changes wait for an answer by then. */
    readonly waiting: number
  }

/** Returns the end of what was followed; of nothing, if the passes over it are gone. */
export function endedWith(result: PassResult | undefined): Ended {
  if (result === undefined) return { outcome: 'failed', errors: [], waiting: 0 }
  const { passId, outcome, sync, errors, waiting } = result
  return { ...(passId === undefined ? {} : { passId }), outcome, sync, errors, waiting: waiting.length }
}
