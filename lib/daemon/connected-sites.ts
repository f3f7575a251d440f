import type { FoundSites, WrongSite } from '../config/site/found-sites.ts'
import type { Site } from '../config/site/sites.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../engine.ts'
import { toFailure } from '../errors.ts'
import { optional } from '../object.ts'

/** The sites of a process and the engines behind them, which come, change and go while it runs. */
export type ConnectedSites = {
  /** The configuration with the sites of now. It is the same value until they change. */
  config(): Config
  /** The engines in the order of the sites; the same list until one comes or goes. */
  engines(): readonly Engine[]
  /**
   * Takes over the sites that were found, and ends the connections to engines that are none of them any more. One that
   * cannot be connected to as it is written now stays as it was. Never fails.
   */
  adopt(found: FoundSites): SiteNews
  /**
   * The names of sites that went since the process started and did not come back, under another name either. What ran
   * there stays.
   */
  removed(): readonly string[]
  close(): void
}

/** The names of sites that came, that are described otherwise than before, and that went. */
export type SiteNews = {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** Connects to the sites of a configuration. `connectTo` asks the engine nothing. */
export function connectSites(first: Config, connectTo: (site: Site) => Engine): ConnectedSites {
  let config = first
  let connected = new Map(first.sites.map(site => [site.name, { site, engine: connectTo(site) }]))
  let engines = enginesIn(connected)
  /** By name: where they were. */
  const gone = new Map<string, Site['endpoint']>()
  return {
    config: () => config,
    engines: () => engines,
    adopt(found) {
      const before = connected
      const unusable: WrongSite[] = []
      const connection = (site: Site) => {
        const known = before.get(site.name)
        if (known !== undefined && connectionOf(known.site) === connectionOf(site))
          return { site, engine: known.engine }
        try {
          return { site, engine: connectTo(site) }
        } catch (error) {
          unusable.push(unusableSite(site, error))
          return known
        }
      }
      connected = new Map(
        withLastGood(config, found).flatMap(site => {
          const made = connection(site)
          return made === undefined ? [] : [[site.name, made] as const]
        }),
      )
      const sites = [...connected.values()].map(({ site }) => site)
      config = { ...config, sites, wrongSites: [...found.wrongSites, ...unusable] }
      engines = enginesIn(connected)
      const used = new Set(engines)
      for (const { engine } of before.values()) if (!used.has(engine)) engine.close()
      const news = newsOf(before, connected)
      const served = new Set(sites.map(({ endpoint }) => endpoint))
      for (const name of news.removed) gone.set(name, before.get(name)?.site.endpoint)
      for (const [name, endpoint] of gone) if (connected.has(name) || served.has(endpoint)) gone.delete(name)
      return news
    },
    removed: () => [...gone.keys()],
    close: () => {
      for (const engine of engines) engine.close()
    },
  }
}

/** What is written is checked when it is read; what the environment variables say of a site is found here. */
function unusableSite({ name, file }: Site, error: unknown): WrongSite {
  const { code, message, hint } = toFailure(error)
  return {
    name,
    problems: [{ code, message, hint, ...optional('position', file === undefined ? undefined : { file }) }],
  }
}

type Connected = ReadonlyMap<string, { readonly site: Site; readonly engine: Engine }>

function enginesIn(connected: Connected): readonly Engine[] {
  return [...connected.values()].map(({ engine }) => engine)
}

/**
 * Returns the sites with those whose files are wrong as they were before. Without a directory that can be read, no file
 * of it counts as gone (G4).
 */
export function withLastGood(
  before: Pick<Config, 'sites'>,
  { sites, wrongSites }: FoundSites,
): readonly Site[] {
  const here = new Set(sites.map(({ name }) => name))
  const isDoubtful = doubt(wrongSites)
  return [...sites, ...before.sites.filter(site => !here.has(site.name) && isDoubtful(site))]
}

function doubt(wrongSites: readonly WrongSite[]): (site: Site) => boolean {
  const names = new Set(wrongSites.map(({ name }) => name))
  return ({ name, file }) => names.has(name) || (file !== undefined && names.has(undefined))
}

/** Whether the connection to an engine would end: its site is not among those found, or is to be reached otherwise. */
export function disconnects(before: Pick<Config, 'sites'>, found: FoundSites): boolean {
  const kept = new Map(withLastGood(before, found).map(site => [site.name, connectionOf(site)]))
  return before.sites.some(site => kept.get(site.name) !== connectionOf(site))
}

/** Returns a text that changes with everything by which the engine is reached. */
function connectionOf({
  labels: _,
  windows: __,
  environments: ___,
  file: ____,
  ...connection
}: Site): string {
  return JSON.stringify(connection)
}

function newsOf(before: Connected, now: Connected): SiteNews {
  const isOther = (name: string) =>
    JSON.stringify(before.get(name)?.site) !== JSON.stringify(now.get(name)?.site)
  const names = [...now.keys()]
  return {
    added: names.filter(name => !before.has(name)),
    changed: names.filter(name => before.has(name) && isOther(name)),
    removed: [...before.keys()].filter(name => !now.has(name)),
  }
}
