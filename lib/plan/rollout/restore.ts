import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import { gateSteps, isRunning, namesOf, removeSteps, startSteps } from '../instance.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * A failed target is quarantined, and an undo that was interrupted is finished: what ran before runs again, what
 * failed is removed (G5). Undefined when there is nothing left to put back.
 */
export function restore({ matched, surplus }: Difference, service: Service): Rollout | undefined {
  const asleep = surplus.filter(live => !isRunning(live)).flatMap(namesOf)
  const failed = matched.flatMap(({ live }) => namesOf(live))
  if (surplus.length === 0 || (asleep.length === 0 && failed.length === 0)) return undefined
  return {
    strategy: 'none',
    strategyReason: 'puts back what ran before the failed rollout',
    downtime: false,
    stages: stagesOf(removeSteps(failed), startSteps(asleep), gateSteps(asleep, service)),
    undo: [],
  }
}
