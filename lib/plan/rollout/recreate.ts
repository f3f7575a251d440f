import type { Service } from '../../state/application/application.ts'
import type { DeclaredDifference } from '../compare/diff.ts'
import { isRunning, isUp, type LiveInstance, type Together } from '../compare/instance/instance.ts'
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
 * Returns the rollout for a service whose old and new instances cannot run side by side. The new ones are created
 * first, so that the gap is no longer than a stop and a start. The old ones are kept, stopped, until the new ones have
 * passed the gate (G5). If old ones ran, the first new one has to pass before the others start (H20). If the whole
 * application stops, the old instances of its other services are stopped too, so that none starts before all have
 * stopped (A40).
 * @param early instances that are wanted, and stop first: in the difference they have (H10)
 */
export function recreate(
  difference: DeclaredDifference,
  service: Service,
  why: string,
  early: readonly LiveInstance[],
): Rollout {
  const { matched, missing, surplus, faults, beside = [] } = difference
  const { before, mid, post, away } = jobStages(difference)
  const cleared = stagesOf(
    ...before,
    ...abreast([reconnectSteps(faults)], createStages(missing, matched)),
    ...stopStages([...surplus, ...beside, ...early].filter(isUp)),
  )
  const [first, ...rest] = missing
  const kept = matched.map(({ live }) => live)
  const alone = surplus.length > 0 && first !== undefined && rest.length > 0 && kept.length === 0
  const begin = (instances: typeof missing, gated: readonly Together[]): Stages => [
    ...abreast(wakeStages(faults, service), startStages(instances, service)),
    ...serveStages(gated, service, { proven: provenIn(difference) }),
  ]
  const back = toPutBack(difference)
  return {
    strategy: 'recreate',
    strategyReason: why,
    downtime: [...surplus, ...early].some(isRunning),
    stages: stagesOf(
      ...cleared,
      ...mid,
      ...(alone
        ? [...begin([first], [first]), ...startStages(rest, service), ...serveStages(rest, service)]
        : begin(missing, [...kept, ...missing])),
    ),
    finish: stagesOf(...post, ...removeStages(surplus), ...away),
    undo: stagesOf(
      ...away,
      ...removeStages([...attempted(difference, service), ...missing]),
      ...startStages(back, service, 'back'),
      ...serveBackStages(back, service),
    ),
  }
}
