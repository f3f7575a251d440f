import type { Engine } from '../../engine.ts'
import { Failure, toFailure } from '../../errors.ts'
import type { SiteMemory, World } from '../world.ts'

/** One site of an environment, over which passes are made. */
export type SiteWorld = {
  readonly world: World
  readonly engine: Engine
  readonly memory: SiteMemory
}

/** Returns the sites of an environment; all sites until it is known which environment it is. */
export function sitesOf(world: World): readonly SiteWorld[] {
  return world.engines.map(engine => ({ world, engine, memory: memoryOf(world, engine.site) }))
}

function memoryOf({ memory }: World, site: string): SiteMemory {
  memory.sites ??= new Map()
  const known = memory.sites.get(site) ?? {}
  memory.sites.set(site, known)
  return known
}

/**
 * Asks an engine for its identity, if there are several. Fails with `config-invalid` if another site is the same engine,
 * because each would remove what the other creates. Returns why the engine does not answer, if it does not.
 */
export async function refuseTwin(
  { world, engine, memory }: SiteWorld,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  if (world.memory.sites?.size === 1) return undefined
  if (memory.engineId === undefined) {
    try {
      const { id, host } = await engine.info(signal)
      // Machines that were copied from one image have engines with the same id, but different names.
      memory.engineId = `${id} on ${host}`
    } catch (error) {
      return toFailure(error)
    }
  }
  world.memory.engineIds ??= new Map()
  const twin = world.memory.engineIds.get(memory.engineId) ?? engine.site
  if (twin !== engine.site)
    throw new Failure(
      'config-invalid',
      `sites: "${twin}" and "${engine.site}" are the same engine, ${memory.engineId}`,
      { hint: 'Keep one of the two sites, or give the other one the endpoint of another engine.' },
    )
  world.memory.engineIds.set(memory.engineId, engine.site)
  return undefined
}
