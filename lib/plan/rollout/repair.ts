import type { Service } from '../../state/application/application.ts'
import type { DeclaredDifference } from '../compare/diff.ts'
import type { Fault } from '../compare/drift/faults.ts'
import type { LiveInstance } from '../compare/instance/instance.ts'
import { attempted, provenIn } from './attempt.ts'
import { noRollout, type Rollout } from './rollout.ts'
import { jobStages } from './stage/jobs.ts'
import { isGateDue, reconnectSteps, shutOutStages, wakeStages } from './stage/mend.ts'
import {
  abreast,
  createStages,
  removeStages,
  routeStages,
  serveStages,
  stagesOf,
  startStages,
} from './stage/stages.ts'

/**
 * Returns the repair of a service with the right instances that were changed from outside, or of which some are gone.
 * It starts, unpauses and reconnects what it can, and creates what is missing.
 */
export function repair(difference: DeclaredDifference, service: Service): Rollout {
  const { faults, missing, matched, isInterrupted } = difference
  // An instance with a failed liveness probe is unhealthy until it has been restarted. That is no reason to give it up.
  const mended = faults.filter(({ what }) => what.is !== 'not-alive' && what.is !== 'not-ready')
  const unproven = isInterrupted ? matched : mended.filter(isGateDue)
  const touched = [...new Set(unproven.map(({ live }) => live)), ...missing]
  // Whether the ingress can answer with other routes shows when it loads them.
  const others = mended.map(({ live }) => live).filter(live => !touched.includes(live))
  const { before, mid, post, away } = jobStages(difference)
  return {
    ...noRollout,
    stages: stagesOf(
      ...before,
      ...abreast([reconnectSteps(faults)], shutOutStages(faults, service), createStages(missing, matched)),
      ...mid,
      ...abreast(wakeStages(faults, service), startStages(missing, service)),
      ...serveStages(touched, service, {
        untouched: isInterrupted ? [] : onlyShutOut(mended.filter(isGateDue)),
        proven: provenIn(difference),
      }),
      ...routeStages([...new Set(others)], service),
    ),
    finish: stagesOf(...post, ...away),
    undo: stagesOf(...away, ...removeStages([...attempted(difference, service), ...missing])),
  }
}

/** Returns the instances that only receive no requests yet: their processes run on. */
function onlyShutOut(faults: readonly Fault[]): readonly LiveInstance[] {
  return [...Map.groupBy(faults, ({ live }) => live)]
    .filter(([, of]) => of.every(({ what }) => what.is === 'shut-out'))
    .map(([live]) => live)
}
