import type { Service } from '../../state/application.ts'
import type { Difference, Fault } from '../diff.ts'
import { createSteps, gateSteps, namesOf, removeSteps, startSteps } from '../instance.ts'
import type { Step } from '../step.ts'
import { type Rollout, stagesOf } from './rollout.ts'

/**
 * The right instances are there, but the world changed them, or some are gone: start, unpause and reconnect what
 * can be, create what is missing.
 */
export function repair(difference: Difference, service: Service): Rollout {
  const { faults, missing } = difference
  const names = missing.flatMap(namesOf)
  const touched = [...faults.flatMap(({ live }) => namesOf(live)), ...names]
  return {
    strategy: 'none',
    strategyReason: '',
    downtime: false,
    stages: stagesOf(
      [...faults.flatMap(reconnectSteps), ...missing.flatMap(createSteps)],
      [...faults.flatMap(wakeSteps), ...startSteps(names)],
      gateSteps(touched, service),
    ),
    undo: stagesOf(removeSteps(names)),
  }
}

function reconnectSteps({ what, live, wanted }: Fault): readonly Step[] {
  if (what.is !== 'detached') return []
  const aliases = wanted.containers[0]?.placement.aliases ?? []
  return namesOf(live).map(container => ({
    do: 'connect-network',
    container,
    network: what.network,
    aliases,
  }))
}

function wakeSteps({ what, live }: Fault): readonly Step[] {
  switch (what.is) {
    case 'stopped':
      return startSteps(namesOf(live))
    case 'paused':
      return namesOf(live).map(container => ({ do: 'unpause-container', container }))
    case 'detached':
      return []
  }
}
