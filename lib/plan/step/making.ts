import type { Step } from './step.ts'

/** A step that makes a container, or a service of a Swarm from the same specification. */
export type Making = Extract<Step, { do: 'create-container' | 'create-service' | 'update-service' }>

export function isMaking(step: Step): step is Making {
  return step.do === 'create-container' || step.do === 'create-service' || step.do === 'update-service'
}
