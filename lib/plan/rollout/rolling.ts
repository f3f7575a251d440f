import type { Service } from '../../state/application/application.ts'
import { countOf } from '../../state/share-of.ts'
import type { DeclaredDifference } from '../compare/diff.ts'
import { isPaused, isRunning, isUp } from '../compare/instance/instance.ts'
import type { Step } from '../step/step.ts'
import { attempted, provenIn, toPutBack } from './attempt.ts'
import type { Rollout, Stages } from './rollout.ts'
import { jobStages } from './stage/jobs.ts'
import { reconnectSteps, wakeStages } from './stage/mend.ts'
import {
  abreast,
  createStages,
  removeStages,
  serveBackStages,
  serveStages,
  stagesOf,
  startStages,
  stopStages,
} from './stage/stages.ts'

/**
 * Returns the rollout that starts new instances beside old ones, in batches. At every moment, at least `wanted -
 * maxUnavailable` instances serve, and at most `wanted + maxSurge` run. An old instance is stopped only after as many
 * new ones have passed the gate, and is removed only when all have, so that undo can start it again (G5).
 *
 * It continues from any point at which an earlier attempt was interrupted: instances that already have the desired
 * fingerprint pass the gate first and count as new.
 */
export function rolling(difference: DeclaredDifference, service: Service, why: string): Rollout {
  const { matched, missing, surplus, fragments = [], faults } = difference
  const { before, post, away } = jobStages(difference)
  const old = surplus.filter(live => isRunning(live) && !fragments.includes(live))
  const halfStopped = surplus.filter(live => isUp(live) && !isRunning(live) && !isPaused(live))
  const wanted = matched.length + missing.length
  const surge = countOf(service.strategy.maxSurge, wanted, 'up')
  const unavailable = atLeastOne(countOf(service.strategy.maxUnavailable, wanted, 'down'), surge)
  const begun = matched.map(({ live }) => live)

  const stages: (readonly Step[])[] = [
    ...before,
    ...stopStages(halfStopped),
    ...abreast([reconnectSteps(faults)], createStages([], matched)),
    ...wakeStages(faults, service),
    ...serveStages(begun, service, { proven: provenIn(difference) }),
  ]
  const serving = [...old]
  const waiting = [...missing]
  let ready = matched.length
  while (serving.length > 0 || waiting.length > 0) {
    const spare = Math.max(0, Math.min(serving.length, serving.length + ready - (wanted - unavailable)))
    const leaving = serving.splice(0, spare)
    const room = Math.max(0, Math.min(waiting.length, wanted + surge - serving.length - ready))
    const coming = waiting.splice(0, room)
    stages.push(
      ...stopStages(leaving),
      ...createStages(coming),
      ...startStages(coming, service),
      ...serveStages(coming, service),
    )
    ready += coming.length
  }
  return {
    strategy: 'rolling',
    strategyReason: why,
    downtime: old.length > 0 && unavailable >= wanted,
    stages: stagesOf(...stages),
    finish: stagesOf(...post, ...removeStages(surplus), ...away),
    undo: putBack(difference, service, away),
  }
}

/**
 * If rounding leaves no room above or below, one instance may be missing. Otherwise the rollout would never move (H26).
 */
function atLeastOne(unavailable: number, surge: number): number {
  return surge === 0 ? Math.max(1, unavailable) : unavailable
}

/** Starts what was stopped before it removes what is new, because old and new can run side by side. */
function putBack(difference: DeclaredDifference, service: Service, away: Stages): Stages {
  const { missing } = difference
  const back = toPutBack(difference)
  return stagesOf(
    ...away,
    ...startStages(back, service, 'back'),
    ...serveBackStages(back, service),
    ...removeStages([...attempted(difference, service), ...missing]),
  )
}
