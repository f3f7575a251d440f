import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import { createSteps, gateSteps, namesOf, removeSteps, startSteps } from '../instance.ts'
import { attempted } from './attempt.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/** Nothing of the service is in the way: create what is missing, start it, wait until it is healthy. */
export function create(difference: Difference, service: Service): Rollout {
  const names = difference.missing.flatMap(namesOf)
  return {
    strategy: 'none',
    strategyReason: '',
    downtime: false,
    stages: stagesOf(difference.missing.flatMap(createSteps), startSteps(names), gateSteps(names, service)),
    undo: stagesOf(removeSteps([...attempted(difference, service).flatMap(namesOf), ...names])),
  }
}
