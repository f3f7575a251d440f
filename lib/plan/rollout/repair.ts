import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import { createSteps, gateSteps, namesOf, removeSteps, startSteps } from '../instance.ts'
import { attempted } from './attempt.ts'
import { reconnectSteps, wakeSteps } from './mend.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * The right instances are there, but the world changed them, or some are gone: start, unpause and reconnect what
 * can be, create what is missing.
 */
export function repair(difference: Difference, service: Service): Rollout {
  const { faults, missing } = difference
  const names = missing.flatMap(namesOf)
  const touched = [...new Set(faults.map(({ live }) => live))].flatMap(namesOf).concat(names)
  return {
    strategy: 'none',
    strategyReason: '',
    downtime: false,
    stages: stagesOf(
      [...reconnectSteps(faults), ...missing.flatMap(createSteps)],
      [...wakeSteps(faults), ...startSteps(names)],
      gateSteps(touched, service),
    ),
    undo: stagesOf(removeSteps([...attempted(difference, service).flatMap(namesOf), ...names])),
  }
}
