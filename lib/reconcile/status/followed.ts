import { optional } from '../../object.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { greatest } from '../extremes.ts'
import { saidTogether } from '../site/result/join-results.ts'
import type { PassResult } from '../site/result/pass-result.ts'

/** What is new of a plan that somebody follows. */
export type Followed = {
  readonly events: readonly StepEvent[]
  /** The number of the last event: the next question asks for those after it. */
  readonly after: number
  /** Once there is nothing more to come. */
  readonly ended?: Ended
}

/** How a pass ended, or several together, for whoever follows what they carry out. */
export type Ended = Pick<PassResult, 'passId' | 'outcome' | 'sync' | 'errors' | 'unreachable'> & {
  /** How many changes wait for an answer by then. */
  readonly waiting: number
}

/** Returns the end of a pass without all that it found. */
export function endOf({ passId, outcome, sync, errors, unreachable, waiting }: PassResult): Ended {
  return {
    ...optional('passId', passId),
    outcome,
    sync,
    errors,
    ...optional('unreachable', unreachable),
    waiting: waiting.length,
  }
}

/** Returns the ends of the passes over several sites together. */
export function joinEnds(all: readonly Ended[]): Ended {
  const unreachable = all.flatMap(one => one.unreachable ?? [])
  return {
    ...optional('passId', greatest(all.map(({ passId }) => passId))),
    ...saidTogether(all),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
  }
}
