import { noRollout } from '../../rollout/rollout.ts'
import type { Change, Delivery, Removal, ServicePlace } from '../change.ts'

/** Returns a change that only removes what no service uses: nothing is prepared, gated or restored. */
export function cleanUp(
  change: ServicePlace &
    Pick<Change, 'reason' | 'lines' | 'after'> & {
      readonly cause: 'diverged' | Removal['cause']
      /** What comes before; absent: nothing. */
      readonly first?: Change['stages'][number]
      /** These steps run in parallel. */
      readonly steps: Change['stages'][number]
    },
): Delivery | Removal {
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

/**
 * Returns the removal of what no service needs, as one change, about which nobody is asked.
 * @param name what it is, with a blank: names of applications and services contain none, so it cannot be one of theirs
 */
export function unneeded(
  site: string,
  name: `${string} ${string}`,
  change: Pick<Change, 'reason' | 'lines'> & Pick<Parameters<typeof cleanUp>[0], 'steps'>,
): Change {
  return cleanUp({ ...change, site, application: name, service: name, cause: 'unneeded', after: [] })
}
