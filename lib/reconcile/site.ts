import type { Engine } from '../engine.ts'
import { Failure } from '../errors.ts'
import type { SiteMemory, World } from './world.ts'

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
 * Fails with `config-invalid` if another site is the same engine, because each would remove what the other creates. A
 * single site is not asked. A site that does not answer is not judged yet.
 */
export async function refuseTwin({ world, engine, memory }: SiteWorld, signal: AbortSignal): Promise<void> {
  if (world.engines.length < 2) return
  if (memory.engineId === undefined) {
    const info = await engine.info(signal).catch(() => undefined)
    if (info === undefined) return
    // Machines that were copied from one image have engines with the same id, but different names.
    memory.engineId = `${info.id} on ${info.host}`
  }
  for (const { site } of world.engines) {
    if (site === engine.site) return
    if (world.memory.sites?.get(site)?.engineId !== memory.engineId) continue
    throw new Failure(
      'config-invalid',
      `sites: "${site}" and "${engine.site}" are the same engine, ${memory.engineId}`,
      { hint: 'Keep one of the two sites, or give the other one the endpoint of another engine.' },
    )
  }
}
