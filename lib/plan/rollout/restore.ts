import type { Service } from '../../state/application.ts'
import type { Difference } from '../diff.ts'
import {
  gateSteps,
  isPaused,
  isRunning,
  type LiveInstance,
  namesOf,
  removeSteps,
  startSteps,
} from '../instance.ts'
import { attempted } from './attempt.ts'
import { whyRecreate } from './exclusive.ts'
import { type Rollout, stagesOf } from './rollout.ts'

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
  const asleep = surplus.filter(live => !isRunning(live) && !isPaused(live))
  const failed = attempted(difference, service)
  if (asleep.length === 0 && failed.length === 0) return undefined
  const names = asleep.flatMap(namesOf)
  const wake = [startSteps(names), gateSteps(names, service)]
  const clear = removeSteps(failed.flatMap(namesOf))
  const stages = whyRecreate(service) === undefined ? [...wake, clear] : [clear, ...wake]
  const rollout: Rollout = {
    strategy: 'none',
    strategyReason: 'puts back what ran before the failed rollout',
    downtime: false,
    stages: stagesOf(...stages),
    undo: [],
  }
  return { asleep, failed, rollout }
}
