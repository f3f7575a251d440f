import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import {
  createSteps,
  gateSteps,
  isRunning,
  namesOf,
  removeSteps,
  startSteps,
  stopSteps,
} from '../instance.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * Old and new cannot run side by side. The new ones are created first, so that the gap lasts no longer than a stop
 * and a start; the old ones are kept, stopped, until the new ones passed the gate (G5).
 */
export function recreate(difference: Difference, service: Service, why: string): Rollout {
  const { matched, missing, surplus } = difference
  const running = surplus.filter(isRunning)
  const old = surplus.flatMap(namesOf)
  const wanted = [...matched.flatMap(({ live }) => namesOf(live)), ...missing.flatMap(namesOf)]
  return {
    strategy: 'recreate',
    strategyReason: why,
    downtime: running.length > 0,
    stages: stagesOf(
      missing.flatMap(createSteps),
      stopSteps(running.flatMap(namesOf)),
      startSteps(wanted),
      gateSteps(wanted, service),
      removeSteps(old),
    ),
    undo: stagesOf(removeSteps(wanted), startSteps(old), gateSteps(old, service)),
  }
}
