import type { Step } from '../step/step.ts'

/** Stages run in order, and the steps of one stage in parallel. */
export type Stages = readonly (readonly Step[])[]

/** How one change is made, and how it is undone. Both are part of the plan, so that both are shown and tested. */
export type Rollout = {
  readonly strategy: 'rolling' | 'recreate' | 'none'
  /** Why this strategy. */
  readonly strategyReason: string
  /** Whether there is a moment at which no instance serves. */
  readonly downtime: boolean
  /** Until what is wanted runs and is healthy. */
  readonly stages: Stages
  /**
   * From this stage on nothing is restored: a hook ran while nothing served, and the data may have changed (H29). It is
   * the first stage if such a hook ran in an earlier attempt. Absent: no such hook runs, or there is nothing to restore.
   */
  readonly noReturnAt?: number
  /** What follows: hooks and clean-up. A failure here undoes nothing (H30). */
  readonly finish: Stages
  /** Restores the state before. Each step is safe at any point that the stages reached (G5). */
  readonly undo: Stages
}

/** Replaces no instance, and undoes nothing. */
export const noRollout: Rollout = {
  strategy: 'none',
  strategyReason: '',
  downtime: false,
  stages: [],
  finish: [],
  undo: [],
}
