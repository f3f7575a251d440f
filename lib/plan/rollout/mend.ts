import type { Fault } from '../diff.ts'
import type { Step } from '../step.ts'

/** Attaches again what lost its network. */
export function reconnectSteps(faults: readonly Fault[]): readonly Step[] {
  return faults.flatMap(({ what, wanted, container: { engineName: container } }): Step[] => {
    const aliases = wanted.containers[0]?.placement.aliases ?? []
    return what.is === 'detached'
      ? [{ do: 'connect-network', container, network: what.network, aliases }]
      : []
  })
}

/** Lets go on what was paused, and starts what stands still. */
export function wakeSteps(faults: readonly Fault[]): readonly Step[] {
  return faults.flatMap(wake)
}

function wake({ what, container: { engineName: container } }: Fault): readonly Step[] {
  switch (what.is) {
    case 'stopped':
      return [{ do: 'start-container', container }]
    case 'paused':
      return [{ do: 'unpause-container', container }]
    case 'detached':
      return []
  }
}
