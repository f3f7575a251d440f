import { sumOf } from '../../numbers.ts'
import { optional } from '../../object.ts'
import type { Change } from '../../plan/change/change.ts'
import type { StepEvent } from '../../state/pass/step-event.ts'
import { passIdTogether, saidTogether } from '../site/result/join-results.ts'
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
  /** What waits for its window by then; absent: nothing. */
  readonly closed?: readonly ClosedWindow[]
}

/** An application that waits for a window of a site, and until when, in words. */
export type ClosedWindow = { readonly site: string; readonly application: string; readonly reason: string }

/** Returns the end of a pass without all that it found. */
export function endOf({
  passId,
  outcome,
  sync,
  errors,
  unreachable,
  waiting,
  plan,
}: Pick<PassResult, 'plan' | 'waiting' | Exclude<keyof Ended, 'waiting' | 'closed'>>): Ended {
  return {
    ...optional('passId', passId),
    outcome,
    sync,
    errors,
    ...optional('unreachable', unreachable),
    waiting: waiting.length,
    ...closedIn(plan?.changes ?? []),
  }
}

/** Returns for an end what of these changes waits for a window. */
export function closedIn(changes: readonly Change[]): Pick<Ended, 'closed'> {
  return closedOf(closedWindows(changes))
}

/** Returns what of a plan waits for a window. */
export function closedWindows(changes: readonly Change[]): readonly ClosedWindow[] {
  return changes.flatMap(({ site, application, held }) =>
    held?.code === 'window-closed' ? [{ site, application, reason: held.reason }] : [],
  )
}

function closedOf(closed: readonly ClosedWindow[]): Pick<Ended, 'closed'> {
  return closed.length === 0 ? {} : { closed }
}

/** Returns the ends of the passes over several sites together. */
export function joinEnds(all: readonly Ended[]): Ended {
  const unreachable = all.flatMap(one => one.unreachable ?? [])
  return {
    ...optional('passId', passIdTogether(all)),
    ...saidTogether(all),
    ...(unreachable.length === 0 ? {} : { unreachable }),
    waiting: sumOf(all, ({ waiting }) => waiting),
    ...closedOf(all.flatMap(({ closed = [] }) => closed)),
  }
}
