import type { Service } from '../../state/application/application.ts'
import { isOfOperator } from '../../state/application/ingress/external.ts'
import type { DeclaredDifference, Difference } from '../compare/diff.ts'
import { isPaused, type LiveInstance, thatRan } from '../compare/instance/instance.ts'
import { whyRecreate } from './exclusive.ts'

/**
 * Returns the instances that an interrupted attempt made, which undo removes; never those of the operator. If
 * it is unknown who made them, instances that can run beside the old ones stay: to remove what ran before would be
 * worse.
 */
export function attempted(
  { matched, surplus, fragments = [] }: Difference,
  service: Service,
): readonly LiveInstance[] {
  if (isOfOperator(service)) return []
  const inTheWay = surplus.length > 0 && whyRecreate(service) !== undefined
  const whole = matched.flatMap(({ live, since }) =>
    since === 'attempt' || (since === 'unknown' && inTheWay) ? [live] : [],
  )
  return [...whole, ...fragments]
}

/**
 * Returns the instances that ran before and are not wanted, which undo starts again, without what never ran of them.
 * Nobody can start a paused one.
 */
export function toPutBack({ surplus, fragments = [] }: Difference): readonly LiveInstance[] {
  return surplus.filter(live => !isPaused(live) && !fragments.includes(live)).flatMap(thatRan)
}

/**
 * Returns the desired instances that are known to have passed their gate: what has run to its end in them since is not
 * judged again (X5). An interrupted attempt at them proves nothing.
 */
export function provenIn({ matched, isInterrupted }: DeclaredDifference): readonly LiveInstance[] {
  return matched.flatMap(({ live, since }) =>
    since === 'before' || (since === 'unknown' && !isInterrupted) ? [live] : [],
  )
}
