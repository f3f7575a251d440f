import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import { gateSteps, isPaused, isRunning, namesOf, removeSteps, startSteps } from '../instance.ts'
import { attempted } from './attempt.ts'
import { whyRecreate } from './exclusive.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * A failed target is quarantined, and an undo that was interrupted is finished: what ran before runs again, what
 * failed is removed (G5). Undefined when there is nothing left to put back.
 */
export function restore(difference: Difference, service: Service): Rollout | undefined {
  const { surplus } = difference
  const asleep = surplus.filter(live => !isRunning(live) && !isPaused(live)).flatMap(namesOf)
  const failed = attempted(difference, service).flatMap(namesOf)
  if (asleep.length === 0 && failed.length === 0) return undefined
  const wake = [startSteps(asleep), gateSteps(asleep, service)]
  const clear = removeSteps(failed)
  return {
    strategy: 'none',
    strategyReason: 'puts back what ran before the failed rollout',
    downtime: false,
    stages: stagesOf(...(whyRecreate(service) === undefined ? [...wake, clear] : [clear, ...wake])),
    undo: [],
  }
}
