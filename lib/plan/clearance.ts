import type { Change } from './change.ts'

/** Removes what stands for itself and serves nobody any more: nothing is prepared, gated or put back. */
export function clearance(
  change: Pick<Change, 'site' | 'application' | 'service' | 'cause' | 'reason' | 'lines' | 'after'> & {
    /** Done side by side. */
    readonly steps: Change['stages'][number]
  },
): Change {
  const { steps, ...rest } = change
  return {
    ...rest,
    action: 'remove',
    instances: 0,
    fields: [],
    strategy: 'none',
    strategyReason: '',
    downtime: false,
    target: 'absent',
    release: 'absent',
    jobs: [],
    prepare: [],
    stages: [steps],
    finish: [],
    undo: [],
  }
}
