import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import { isPaused, isRunning, type LiveInstance } from '../instance.ts'
import { attempted } from './attempt.ts'
import { whyRecreate } from './exclusive.ts'
import { isShutOut } from './ingress.ts'
import { endStages } from './jobs.ts'
import type { Rollout } from './rollout.ts'
import { removeStages, serveAgainStages, stagesOf, startStages } from './stages.ts'

/** Why what ran before is started again. */
export const putBackReason = 'puts back what ran before the failed rollout'

/** What an undo that was interrupted has yet to do. */
export type PutBack = {
  /** Ran before, and is to run again. */
  readonly asleep: readonly LiveInstance[]
  /** Of the failed attempt, and to be removed. */
  readonly failed: readonly LiveInstance[]
  readonly rollout: Rollout
}

/**
 * A failed target is quarantined, and an undo that was interrupted is finished: what ran before runs again, what
 * failed is removed (G5). Undefined when there is nothing left to put back.
 */
export function restore(difference: Difference, service: Service): PutBack | undefined {
  const { surplus } = difference
  const begun = [...difference.begun, ...difference.leftOver]
  const asleep = surplus.filter(live => !isPaused(live) && (!isRunning(live) || isShutOut(live, service)))
  const failed = attempted(difference, service)
  if (asleep.length + failed.length + begun.length === 0) return undefined
  const wake = [
    ...startStages(
      asleep.filter(live => !isRunning(live)),
      service,
      true,
    ),
    ...serveAgainStages(asleep, service),
  ]
  const clear = removeStages(failed)
  const order = whyRecreate(service) === undefined ? [...wake, ...clear] : [...clear, ...wake]
  const rollout: Rollout = {
    strategy: 'none',
    strategyReason: putBackReason,
    downtime: false,
    stages: stagesOf(...endStages(begun), ...order),
    finish: [],
    undo: [],
  }
  return { asleep, failed, rollout }
}
