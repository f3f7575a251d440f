import { loginFor } from '../../../registry/credentials.ts'
import type { PinContext } from '../../../registry/pin.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { World } from '../../world.ts'
import { reachableEngine } from './reachable-engine.ts'
import { resolvePinned } from './resolve-pinned.ts'

/** Returns what a commit wanted, with its images as they were pinned then. */
export async function stateAt(world: World, commit: string, signal: AbortSignal): Promise<DesiredState> {
  const context = () => pinning(world, commit, signal)
  const { pinned } = await resolvePinned(world, { commit }, context, signal)
  return pinned
}

/** Returns what the images of a commit are pinned with. The sites of an environment are known once a commit is resolved. */
export async function pinning(world: World, commit: string, signal: AbortSignal): Promise<PinContext> {
  const { journal, config, pauses } = world
  const engine = await reachableEngine(world.engines, signal)
  const login = (host: string) => loginFor(config.registries, host)
  return { engine, resolutions: journal.resolutions, login, commit, pauses }
}
