import type { Step, StepOf } from './step.ts'
import { type MakingName, traitsOf } from './traits.ts'

/** A step that makes a container, or a service or job of a Swarm from the same specification. */
export type Making = StepOf<MakingName>

/** Whether a step makes something. */
export function isMaking(step: Step): step is Making {
  return traitsOf(step).makes === true
}

/** Returns the name of what it makes. */
export function nameOfMade(step: Making): string {
  return step.do === 'create-container' ? step.container : step.service
}
