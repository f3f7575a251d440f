import type { Fault } from '../diff.ts'
import { type LiveInstance, namesOf } from '../instance.ts'
import type { Step } from '../step.ts'

/** Attaches again what lost its network. */
export function reconnectSteps(faults: readonly Fault[]): readonly Step[] {
  return faults.flatMap(({ what, live, wanted }) =>
    what.is === 'detached'
      ? namesOf(live).map(container => ({
          do: 'connect-network' as const,
          container,
          network: what.network,
          aliases: wanted.containers[0]?.placement.aliases ?? [],
        }))
      : [],
  )
}

/** Lets go on what was paused, and starts what stands still. */
export function wakeSteps(faults: readonly Fault[]): readonly Step[] {
  return faults.flatMap(({ what, live }) => (what.is === 'detached' ? [] : live.containers.map(wake)))
}

function wake({ engineName: container, state }: LiveInstance['containers'][number]): Step {
  return state === 'paused' ? { do: 'unpause-container', container } : { do: 'start-container', container }
}
