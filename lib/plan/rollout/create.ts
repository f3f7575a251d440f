import type { Service } from '../../state/application/application.ts'
import type { DeclaredDifference } from '../compare/diff.ts'
import { attempted, provenIn } from './attempt.ts'
import { noRollout, type Rollout } from './rollout.ts'
import { jobStages } from './stage/jobs.ts'
import { createStages, removeStages, serveStages, stagesOf, startStages } from './stage/stages.ts'

/**
 * Returns the rollout for a service with nothing in its way: it creates what is missing, starts it, and waits until it
 * is healthy. What an interrupted attempt has started passes the gate too.
 */
export function create(difference: DeclaredDifference, service: Service): Rollout {
  const { missing, matched, isInterrupted } = difference
  const { before, mid, post, away } = jobStages(difference)
  const isUnproven = isInterrupted || away.length > 0
  const gated = isUnproven ? [...matched.map(({ live }) => live), ...missing] : missing
  return {
    ...noRollout,
    stages: stagesOf(
      ...before,
      ...createStages(missing),
      ...mid,
      ...startStages(missing, service),
      ...serveStages(gated, service, { proven: provenIn(difference) }),
    ),
    finish: stagesOf(...post, ...away),
    undo: stagesOf(...away, ...removeStages([...attempted(difference, service), ...missing])),
  }
}
