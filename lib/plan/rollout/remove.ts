import type { LiveContainer } from '../../state/running/live.ts'
import { isUp, type LiveInstance } from '../compare/instance/instance.ts'
import type { Step } from '../step/step.ts'
import { noRollout, type Rollout } from './rollout.ts'
import { endStages } from './stage/jobs.ts'
import { abreast, removeStages, stagesOf, stopStages } from './stage/stages.ts'

/**
 * Returns the removal of instances, and of what jobs left behind. Volumes stay (D3). Nothing restores them, so there is
 * no undo.
 */
export function remove(
  instances: readonly LiveInstance[],
  jobs: readonly LiveContainer[],
  why: string,
): Rollout {
  const clear = jobs.map(({ engineName: container }): Step => ({ do: 'remove-container', container }))
  return {
    ...noRollout,
    strategyReason: why,
    stages: stagesOf(...endStages(jobs), ...stopStages(instances.filter(isUp))),
    finish: stagesOf(...abreast(removeStages(instances), [clear])),
  }
}
