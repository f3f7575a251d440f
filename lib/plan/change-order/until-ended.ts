import { type Change, keyOf } from '../change/change.ts'
import { type Step, type StepName, stepsOf } from '../step/step.ts'

/**
 * Has changes of services of a Swarm wait until what they replace has ended, where something comes after that: other
 * changes, which may need its port or its network, or must not meet the release before, or a post hook. So does whatever
 * puts back what was there before. Nothing else waits for that, which takes as long as a release has to finish its work
 * (docs/decisions/0090-the-end-of-old-tasks.md).
 */
export function untilEnded(changes: readonly Change[]): readonly Change[] {
  const first = new Set(changes.flatMap(({ after }) => after.map(({ key }) => key)))
  return changes.map(change => {
    const { stages, finish, undo } = change
    if (![stages, undo].some(all => has(all, 'await-service'))) return change
    const isFollowed = first.has(keyOf(change)) || has(finish, 'run-to-end') || has(stages, 'restore-service')
    return { ...change, stages: isFollowed ? waiting(stages) : stages, undo: waiting(undo) }
  })
}

function has(stages: Change['stages'], name: StepName): boolean {
  return stages.some(stage => stepsOf(stage, name).length > 0)
}

function waiting(stages: Change['stages']): Change['stages'] {
  const patient = (step: Step): Step => (step.do === 'await-service' ? { ...step, untilEnded: true } : step)
  return stages.map(stage => stage.map(patient))
}
