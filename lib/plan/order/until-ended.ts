import { type Change, keyOf } from '../change/change.ts'
import { type Step, stepsOf } from '../step/step.ts'

/**
 * Has each change of a service of a Swarm that others come after wait until what it replaces has ended: they may need its
 * port or its network, or must not meet the release before. Nothing else waits for that, which takes as long as a
 * release has to finish its work (docs/decisions/0090-the-end-of-old-tasks.md).
 */
export function untilEnded(changes: readonly Change[]): readonly Change[] {
  const first = new Set(changes.flatMap(({ after }) => after.map(({ key }) => key)))
  return changes.map(change =>
    first.has(keyOf(change)) && stepsOf(change.stages.flat(), 'await-service').length > 0
      ? { ...change, stages: change.stages.map(stage => stage.map(waiting)) }
      : change,
  )
}

function waiting(step: Step): Step {
  return step.do === 'await-service' ? { ...step, untilEnded: true } : step
}
