import { Failure } from '../../errors.ts'
import type { AnswerVerb } from '../../journal/decisions/answers.ts'
import type { Via } from '../../journal/decisions/approvals.ts'

/** What needs a right: whatever is recorded as said, and the request for passes. */
export type Right = AnswerVerb | 'reconcile'

/** Who says something, by which way it came, and what may be said by that way. */
export type Speaker = {
  readonly who: string
  readonly via: Exclude<Via, 'skipConfirmation'>
  readonly may: (right: Right) => boolean
}

/**
 * Returns the owner of the daemon or of its journal, who may say everything: the permissions of the socket or of the
 * file have decided who that is.
 */
export function owner(who: string | undefined, via: Speaker['via']): Speaker {
  return { who: who || 'unknown', via, may: () => true }
}

/** Fails with `control-forbidden` if the speaker may not say that. */
export function demandRight({ who, may }: Speaker, right: Right): void {
  if (may(right)) return
  throw new Failure('control-forbidden', `${who} may not ${right}`)
}
