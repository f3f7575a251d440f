import type { Engine } from '../../engine.ts'
import { Failure, toFailure } from '../../errors.ts'
import type { World } from '../world.ts'
import type { SiteMemory } from './site-memory.ts'

/** One site of an environment, over which passes are made. */
export type SiteWorld = {
  readonly world: World
  readonly engine: Engine
  readonly memory: SiteMemory
}

/** Returns the sites of an environment; all sites until it is known which environment it is. */
export function sitesOf(world: World): readonly SiteWorld[] {
  return world.engines.map(engine => ({ world, engine, memory: world.memory.sites.of(engine.site) }))
}

/**
 * Asks an engine for its identity, if there are several. Fails with `config-invalid` if another site is the same engine,
 * because each would remove what the other creates. Returns why the engine does not answer, if it does not.
 */
export async function refuseTwin(
  { world, engine }: SiteWorld,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const { sites } = world.memory
  if (sites.count() === 1) return undefined
  let engineId = sites.engineOf(engine.site)
  if (engineId === undefined) {
    try {
      const { id, host } = await engine.info(signal)
      // Machines that were copied from one image have engines with the same id, but different names.
      engineId = `${id} on ${host}`
    } catch (error) {
      return toFailure(error)
    }
  }
  const twin = sites.recognize(engine.site, engineId)
  if (twin !== engine.site)
    throw new Failure(
      'config-invalid',
      `sites: "${twin}" and "${engine.site}" are the same engine, ${engineId}`,
      { hint: 'Keep one of the two sites, or give the other one the endpoint of another engine.' },
    )
  return undefined
}
