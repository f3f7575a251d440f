import type { Engine } from '../../engine.ts'
import { forHost } from '../../resolve/for-host.ts'
import { forSwarm } from '../../resolve/swarm/for-swarm.ts'
import type { DesiredState } from '../../state/application/desired.ts'

/** Returns what is wanted as the engine of a site can have it. */
export function shapedFor({ swarm }: Pick<Engine, 'swarm'>, desired: DesiredState): DesiredState {
  return swarm === undefined ? forHost(desired) : forSwarm(desired, swarm)
}
