import { loginFor } from '../../../registry/credentials.ts'
import type { PinContext } from '../../../registry/pin.ts'
import type { DesiredState } from '../../../state/application/desired.ts'
import type { World } from '../../world.ts'
import type { RegistryRoutes } from '../registry-routes.ts'
import { resolvePinned } from './resolve-pinned.ts'
import { throughEngines } from './through-engines.ts'

/** Returns what a commit wanted, with its images as they were pinned then. */
export async function stateAt(world: World, commit: string, signal: AbortSignal): Promise<DesiredState> {
  const context = () => pinning(world, commit, signal)
  const { pinned } = await resolvePinned(world, { commit }, context, signal)
  return pinned
}

/** Returns what the images of a commit are pinned with. The sites of an environment are known once a commit is resolved. */
export async function pinning(world: World, commit: string, signal: AbortSignal): Promise<PinContext> {
  const { journal, config, pauses } = world
  const engine = throughEngines(world.engines, registryRoutes(world), signal)
  const login = (host: string) => loginFor(config.registries, host)
  return { engine, resolutions: journal.resolutions, login, commit, pauses }
}

/** Through which site a registry was reached is kept, so that a daemon that begins anew asks that one first. */
function registryRoutes({ journal, memory, log }: World): RegistryRoutes {
  const environment = memory.names.identity()?.environment ?? ''
  const reachedThrough = (host: string) => journal.registries.reachedThrough(environment, host)
  return {
    reachedThrough,
    setReachedThrough(host, site) {
      if (reachedThrough(host) === site) return
      journal.registries.setReachedThrough(environment, host, site)
      log.info(`the registry ${host} is asked through the site ${site}`)
    },
    rotation: memory.registries,
  }
}
