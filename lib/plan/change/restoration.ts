import { optional } from '../../object.ts'
import type { DeclaredDifference } from '../compare/diff.ts'
import type { Held } from '../hold/held.ts'
import { interruptedReason, type PutBack, putBackReason } from '../rollout/finish-undo.ts'
import { beforeTarget, type Change, type Delivery, type Restoration } from './change.ts'
import { putBackLines, restoreLines } from './instance-lines.ts'
import type { Keep } from './keep-before.ts'
import { otherVolumes, withOtherVolumes } from './other-volumes.ts'

/** Returns the change that finishes an undo which was interrupted: the release that failed is what is wanted still (G5). */
export function endOfUndo(difference: DeclaredDifference, putBack: PutBack): Restoration {
  const { site, application, service, kind, target, release, applicationRelease } = difference
  return {
    ...{ site, application, service },
    action: 'start',
    cause: 'drifted',
    reason: putBack.rollout.strategyReason,
    instances: difference.matched.length + difference.missing.length || difference.surplus.length,
    lines: restoreLines(service, putBack),
    fields: [],
    ...putBack.rollout,
    target: beforeTarget(target),
    release,
    ...optional('applicationRelease', applicationRelease),
    jobs: [],
    prepare: [],
    ...(difference.isHalfway && kind === 'drifted' ? { isWayBack: true } : {}),
    ...deadlineOf(difference),
    after: [],
  }
}

/**
 * Returns the change that ends an attempt by what its service had before, which is not undone.
 * @param change what would be done about the same difference otherwise
 * @param hold why it would not be done now: only a person who suspended it has this left alone, too
 */
export function endOfAttempt(
  {
    held: _,
    whole: __,
    pods: ___,
    walk: ____,
    deploys: _____,
    isBegun: ______,
    isSpecificationGone: _______,
    ...change
  }: Change,
  { difference, attempted, isInterrupted }: Keep & { readonly attempted: string },
  hold: Held | undefined,
): Restoration {
  const others = otherVolumes(difference, change.prepare)
  return {
    ...change,
    ...others,
    action: 'start',
    cause: 'drifted',
    reason: withOtherVolumes(isInterrupted ? interruptedReason : putBackReason, others),
    lines: putBackLines(difference),
    fields: [],
    jobs: [],
    target: beforeTarget(attempted),
    undo: [],
    ...(hold?.code === 'suspended' ? { held: hold } : {}),
  }
}

/** Returns within which time a rollout has to end. */
export function deadlineOf({
  declared,
  isRollout,
}: Pick<DeclaredDifference, 'declared' | 'isRollout'>): Pick<Delivery, 'deadlineMs'> {
  return isRollout ? optional('deadlineMs', declared.service.strategy.deadlineMs) : {}
}
