import { noRollout } from '../rollout/rollout.ts'
import type { Change, ServicePlace } from './change.ts'

/** Returns a change that only removes what no service uses: nothing is prepared, gated or restored. */
export function clearance(
  change: ServicePlace &
    Pick<Change, 'cause' | 'reason' | 'lines' | 'after'> & {
      /** What comes before; absent: nothing. */
      readonly first?: Change['stages'][number]
      /** These steps run in parallel. */
      readonly steps: Change['stages'][number]
    },
): Change {
  const { first = [], steps, ...rest } = change
  return {
    ...rest,
    action: 'remove',
    instances: 0,
    fields: [],
    ...noRollout,
    target: 'absent',
    release: 'absent',
    jobs: [],
    prepare: [],
    stages: first.length === 0 ? [steps] : [first, steps],
  }
}
