import type { Site } from '../../config/site/sites.ts'
import type { Engine } from '../../engine.ts'
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

/** Returns the sites of an environment as they are configured now. */
export function sitesNow({ config, engines }: Pick<World, 'config' | 'engines'>): readonly Site[] {
  const here = new Set(engines.map(({ site }) => site))
  return config.sites.filter(({ name }) => here.has(name))
}
