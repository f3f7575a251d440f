import type { Step } from './step.ts'

/** A step that makes a container, or a service or job of a Swarm from the same specification. */
export type Making = Extract<
  Step,
  { do: 'create-container' | 'create-job' | 'create-service' | 'update-service' }
>

export function isMaking(step: Step): step is Making {
  switch (step.do) {
    case 'create-container':
    case 'create-job':
    case 'create-service':
    case 'update-service':
      return true
    default:
      return false
  }
}

/** Returns the name of what it makes. */
export function nameOfMade(step: Making): string {
  return step.do === 'create-container' ? step.container : step.service
}
