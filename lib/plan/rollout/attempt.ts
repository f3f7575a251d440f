import type { Service } from '../../state/application/application.ts'
import { isOfOperator } from '../../state/application/external.ts'
import type { Difference } from '../compare/diff.ts'
import type { LiveInstance } from '../compare/instance.ts'
import { whyRecreate } from './exclusive.ts'

/**
 * Returns the desired instances that an interrupted attempt made, which undo removes; never those of the operator. If
 * it is unknown who made them, instances that can run beside the old ones stay: to remove what ran before would be
 * worse.
 */
export function attempted({ matched, surplus }: Difference, service: Service): readonly LiveInstance[] {
  if (isOfOperator(service)) return []
  const inTheWay = surplus.length > 0 && whyRecreate(service) !== undefined
  return matched.flatMap(({ live, since }) =>
    since === 'attempt' || (since === 'unknown' && inTheWay) ? [live] : [],
  )
}
