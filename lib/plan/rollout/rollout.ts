import type { Step } from '../step.ts'

/** Stages run in order, the steps of one stage side by side. */
export type Stages = readonly (readonly Step[])[]

/** How one change is carried out, and how it is undone: both are part of the plan, so both are seen and tested. */
export type Rollout = {
  readonly strategy: 'rolling' | 'recreate' | 'none'
  /** Why this way. */
  readonly strategyReason: string
  /** Whether there is a moment at which no instance serves. */
  readonly downtime: boolean
  readonly stages: Stages
  readonly undo: Stages
}

/** Stages without the empty ones. */
export function stagesOf(...stages: Stages): Stages {
  return stages.filter(stage => stage.length > 0)
}
