import type { Stages } from './stages.ts'

/** How one change is carried out, and how it is undone: both are part of the plan, so both are seen and tested. */
export type Rollout = {
  readonly strategy: 'rolling' | 'recreate' | 'none'
  /** Why this way. */
  readonly strategyReason: string
  /** Whether there is a moment at which no instance serves. */
  readonly downtime: boolean
  /** Until what is wanted runs and is healthy. */
  readonly stages: Stages
  /**
   * From this stage on nothing is put back: a hook ran while nothing served, and the data may have moved (H29). It is
   * the first where such a hook ran in an attempt before this one.
   */
  readonly noReturnAt?: number
  /** What is done once that is so: hooks after it, and clearing away. Its failures undo nothing. */
  readonly finish: Stages
  readonly undo: Stages
}
