import type { Engine } from '../../engine.ts'
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
