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
import type { Step } from '../step.ts'
import { countOf } from './count.ts'
import { type Rollout, type Stages, stagesOf } from './rollout.ts'

/**
 * New beside old, in batches. At no moment do fewer than `wanted - maxUnavailable` instances serve or more than
 * `wanted + maxSurge` run. An old instance is stopped only after as many new ones passed the gate, and is removed
 * only when all have, so that undo can start it again (G5).
 *
 * Works from any point at which an earlier attempt was interrupted: instances that already run the wanted
 * fingerprint pass the gate first and count as new.
 */
export function rolling(difference: Difference, service: Service, why: string): Rollout {
  const { matched, missing, surplus } = difference
  const old = surplus.filter(isRunning)
  const wanted = matched.length + missing.length
  const surge = countOf(service.strategy.maxSurge, wanted, 'up')
  const unavailable = countOf(service.strategy.maxUnavailable, wanted, 'down')
  const step = surge + unavailable === 0 ? 1 : surge
  const begun = matched.flatMap(({ live }) => namesOf(live))
  const asleep = matched.filter(({ live }) => !isRunning(live)).flatMap(({ live }) => namesOf(live))

  const stages: (readonly Step[])[] = [startSteps(asleep), gateSteps(begun, service)]
  const serving = [...old]
  const waiting = [...missing]
  let ready = matched.length
  while (serving.length > 0 || waiting.length > 0) {
    const spare = Math.max(0, Math.min(serving.length, serving.length + ready - (wanted - unavailable)))
    const leaving = serving.splice(0, spare).flatMap(namesOf)
    const room = Math.max(0, Math.min(waiting.length, wanted + step - serving.length - ready))
    const coming = waiting.splice(0, room)
    const names = coming.flatMap(namesOf)
    stages.push(stopSteps(leaving), coming.flatMap(createSteps), startSteps(names), gateSteps(names, service))
    ready += coming.length
  }
  stages.push(removeSteps(surplus.flatMap(namesOf)))

  return {
    strategy: 'rolling',
    strategyReason: why,
    downtime: old.length > 0 && unavailable >= wanted,
    stages: stagesOf(...stages),
    undo: putBack(difference, service),
  }
}

/** Starts what was stopped before it removes what is new: nothing is in the way of a rolling service. */
function putBack({ matched, missing, surplus }: Difference, service: Service): Stages {
  const back = surplus.flatMap(namesOf)
  const away = [...matched.flatMap(({ live }) => namesOf(live)), ...missing.flatMap(namesOf)]
  return surplus.length === 0
    ? stagesOf(removeSteps(missing.flatMap(namesOf)))
    : stagesOf(startSteps(back), gateSteps(back, service), removeSteps(away))
}
