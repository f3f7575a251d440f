import type { Service } from '../../state/application/application.ts'
import type { Difference } from '../compare/diff.ts'
import { isRunning, type LiveInstance } from '../compare/instance/instance.ts'
import { attempted, toPutBack } from './attempt.ts'
import { whyRecreate } from './exclusive.ts'
import { noRollout, type Rollout } from './rollout.ts'
import { endStages } from './stage/jobs.ts'
import { removeStages, serveBackStages, stagesOf, startStages } from './stage/stages.ts'
import { isShutOut } from './stage/traffic-steps.ts'
import { isOnSwarm } from './swarm/on-swarm.ts'
import { swarmRestore } from './swarm/swarm-restore.ts'

/** Why the instances before are started again. */
export const putBackReason = 'puts back what ran before the failed rollout'

/** Why they are if it did not fail, and is not wanted any more. */
export const interruptedReason = 'puts back what ran before an interrupted rollout'

/** What an interrupted undo has yet to do. */
export type PutBack = {
  /** Instances that ran before, and are to run again. */
  readonly asleep: readonly LiveInstance[]
  /** Instances of the failed attempt, which are to be removed. */
  readonly failed: readonly LiveInstance[]
  readonly rollout: Rollout
}

/**
 * Finishes an interrupted undo after a failed target was quarantined: the instances before run again, and the failed
 * ones are removed (G5). Undefined if there is nothing left to restore.
 */
export function restore(difference: Difference, service: Service): PutBack | undefined {
  if (isOnSwarm(difference)) return restoreOnSwarm(difference, service)
  const begun = [...difference.begun, ...difference.leftOver]
  const asleep = toPutBack(difference).filter(live => !isRunning(live) || isShutOut(live, service))
  const failed = attempted(difference, service)
  if (asleep.length + failed.length + begun.length === 0) return undefined
  const wake = [
    ...startStages(
      asleep.filter(live => !isRunning(live)),
      service,
      'back',
    ),
    ...serveBackStages(asleep, service),
  ]
  const clear = removeStages(failed)
  const order = whyRecreate(service) === undefined ? [...wake, ...clear] : [...clear, ...wake]
  const rollout: Rollout = {
    ...noRollout,
    strategyReason: putBackReason,
    stages: stagesOf(...endStages(begun), ...order),
  }
  return { asleep, failed, rollout }
}

function restoreOnSwarm(difference: Difference, service: Service): PutBack | undefined {
  const begun = [...difference.begun, ...difference.leftOver]
  const { asleep, failed, stages } = swarmRestore(difference, service)
  if (asleep.length + failed.length + begun.length === 0) return undefined
  const all = stagesOf(...endStages(begun), ...stages)
  return { asleep, failed, rollout: { ...noRollout, strategyReason: putBackReason, stages: all } }
}
