import type { Site } from '../../config/site/sites.ts'
import type { Engine } from '../../engine.ts'
import { onceFor } from '../../memo/once-for.ts'
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
  return world.engines.map(engine => siteIn(world, engine))
}

/** Returns the site of an environment that has this name; undefined: there is none. */
export function siteOf(world: World, name: string): SiteWorld | undefined {
  const engine = enginesBySite(world.engines).get(name)
  return engine && siteIn(world, engine)
}

function siteIn(world: World, engine: Engine): SiteWorld {
  return { world, engine, memory: world.memory.sites.of(engine.site) }
}

/**
 * Whether a site is still one of the environment, with this engine. A pass may run on over one that is not: what it finds
 * out of that must not be remembered under a name that is gone, or that another site has by now (D17, G17).
 */
export function isStillThere({ world, engine, memory }: SiteWorld): boolean {
  return world.memory.sites.lasts(engine.site, memory.stay)
}

/** Returns the sites of an environment as they are configured now. The same list until one comes, changes or goes. */
export function sitesNow({ config, engines }: Pick<World, 'config' | 'engines'>): readonly Site[] {
  return sitesAmong(config.sites)(engines)
}

/** Each pass asks for them at the start, which would go through all sites once for each of them. */
const sitesAmong = onceFor((sites: readonly Site[]) =>
  onceFor((engines: readonly Engine[]): readonly Site[] => {
    const here = new Set(engines.map(({ site }) => site))
    return sites.filter(({ name }) => here.has(name))
  }),
)

/** Returns a site as the configuration says, if its engine can be used. */
export function configuredSite(world: Pick<World, 'config' | 'engines'>, name: string): Site | undefined {
  return sitesByName(sitesNow(world)).get(name)
}

const sitesByName = onceFor(
  (sites: readonly Site[]): ReadonlyMap<string, Site> => new Map(sites.map(site => [site.name, site])),
)

/** Returns engines by their sites. The list is the same until a site comes or goes. */
export const enginesBySite = onceFor(
  (engines: readonly Engine[]): ReadonlyMap<string, Engine> =>
    new Map(engines.map(engine => [engine.site, engine])),
)
