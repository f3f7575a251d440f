import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import {
  createSteps,
  gateSteps,
  isPaused,
  isRunning,
  isUp,
  namesOf,
  removeSteps,
  startSteps,
  stopSteps,
} from '../instance.ts'
import { attempted } from './attempt.ts'
import { reconnectSteps, wakeSteps } from './mend.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * Old and new cannot run side by side. The new ones are created first, so that the gap lasts no longer than a stop
 * and a start; the old ones are kept, stopped, until the new ones passed the gate (G5).
 */
export function recreate(difference: Difference, service: Service, why: string): Rollout {
  const { matched, missing, surplus, faults } = difference
  const up = surplus.filter(isUp)
  const old = surplus.flatMap(namesOf)
  const back = surplus.filter(live => !isPaused(live)).flatMap(namesOf)
  const away = [...attempted(difference, service), ...missing].flatMap(namesOf)
  const wanted = [...matched.flatMap(({ live }) => namesOf(live)), ...missing.flatMap(namesOf)]
  return {
    strategy: 'recreate',
    strategyReason: why,
    downtime: surplus.some(isRunning),
    stages: stagesOf(
      [...missing.flatMap(createSteps), ...reconnectSteps(faults)],
      stopSteps(up.flatMap(namesOf)),
      [...wakeSteps(faults), ...startSteps(missing.flatMap(namesOf))],
      gateSteps(wanted, service),
      removeSteps(old),
    ),
    undo: stagesOf(removeSteps(away), startSteps(back), gateSteps(back, service)),
  }
}
