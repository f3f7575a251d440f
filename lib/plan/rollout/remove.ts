import { isUp, type LiveInstance, namesOf, removeSteps, stopSteps } from '../instance.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/** Stops and removes instances; volumes stay (D3). Nothing brings them back, so there is no undo. */
export function remove(instances: readonly LiveInstance[], why: string): Rollout {
  return {
    strategy: 'none',
    strategyReason: why,
    downtime: false,
    stages: stagesOf(
      stopSteps(instances.filter(isUp).flatMap(namesOf)),
      removeSteps(instances.flatMap(namesOf)),
    ),
    undo: [],
  }
}
