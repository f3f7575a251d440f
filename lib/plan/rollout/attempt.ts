import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import type { LiveInstance } from '../instance.ts'
import { whyRecreate } from './exclusive.ts'

/**
 * The wanted instances that an interrupted attempt made, and that undo removes; never what is the operator's. Where it is
 * not known, those stay that may run beside the old ones: removing what ran before would be worse.
 */
export function attempted({ matched, surplus }: Difference, service: Service): readonly LiveInstance[] {
  if (service.external) return []
  const inTheWay = surplus.length > 0 && whyRecreate(service) !== undefined
  return matched.flatMap(({ live, since }) =>
    since === 'attempt' || (since === 'unknown' && inTheWay) ? [live] : [],
  )
}
