/** Which engine each site of an environment is, by the engine's own identity. */
export type EngineIdentities = {
  /** Whether one of the sites was never met: then all that are not known are asked who they are, once. */
  areNew(sites: readonly string[]): boolean
  /** The identity of a site's engine, once it was asked. */
  engineOf(site: string): string | undefined
  /** Notes who the engine of a site is now, in place of whom it was taken for before. */
  meet(site: string, engineId: string): void
  /** Whoever answers at a site next is asked who it is. */
  lose(site: string): void
  /** Forgets a site, which is gone or has another engine now. */
  forget(site: string): void
  /** The sites that turned out to be this engine. */
  sitesOf(engineId: string): ReadonlySet<string>
  /**
   * Notes that a pass over a site runs that may write. Returns the other site of the engine over which one runs
   * already; then nothing is noted.
   */
  take(engineId: string, site: string): string | undefined
  /** Notes that the pass has ended. */
  free(engineId: string): void
  /** Notes on which engine, by its own id, a site was claimed on this machine last. */
  noteClaimed(site: string, claimedId: string): void
  /** The sites that were claimed on that engine: several, if they are on copied machines. */
  claimedOn(claimedId: string): ReadonlySet<string>
  /** Whether any pass runs that may write. */
  isAtWork(): boolean
  /** Notes as which site an engine is served on record. */
  noteServed(engineId: string, site: string): void
  /** Whether it is on record that an engine is served as a site; false also if that is not known. */
  isServedAs(engineId: string, site: string): boolean
}

/** Creates the memory of engines that were not asked yet. */
export function createEngineIdentities(): EngineIdentities {
  const [known, claimed] = [createEnginesOfSites(), createEnginesOfSites()]
  const atWork = new Map<string, string>()
  const asked = new Set<string>()
  const served = new Map<string, string>()
  /** The engine that is served as a site, the other way round. */
  const servedAs = new Map<string, string>()
  return {
    areNew(names) {
      const before = asked.size
      for (const name of names) asked.add(name)
      return asked.size > before
    },
    engineOf: known.engineOf,
    meet: known.link,
    lose: known.unlink,
    forget(site) {
      const engineId = known.engineOf(site) ?? ''
      if (served.get(engineId) === site) {
        served.delete(engineId)
        servedAs.delete(site)
      }
      known.unlink(site)
      claimed.unlink(site)
      asked.delete(site)
    },
    sitesOf: known.sitesOf,
    noteClaimed: claimed.link,
    claimedOn: claimed.sitesOf,
    take(engineId, site) {
      const other = atWork.get(engineId)
      if (other !== undefined && other !== site) return other
      atWork.set(engineId, site)
      return undefined
    },
    free: engineId => void atWork.delete(engineId),
    isAtWork: () => atWork.size > 0,
    noteServed(engineId, site) {
      const before = servedAs.get(site)
      if (before !== undefined && served.get(before) === site) served.delete(before)
      served.set(engineId, site)
      servedAs.set(site, engineId)
    },
    isServedAs: (engineId, site) => served.get(engineId) === site,
  }
}

/** The engine of each site, which has one at most, and the sites of each engine. */
function createEnginesOfSites() {
  const engines = new Map<string, string>()
  const sites = new Map<string, Set<string>>()
  const unlink = (site: string) => {
    const engineId = engines.get(site) ?? ''
    const others = sites.get(engineId)
    engines.delete(site)
    others?.delete(site)
    if (others?.size === 0) sites.delete(engineId)
  }
  return {
    engineOf: (site: string) => engines.get(site),
    sitesOf: (engineId: string): ReadonlySet<string> => sites.get(engineId) ?? new Set(),
    link(site: string, engineId: string) {
      unlink(site)
      engines.set(site, engineId)
      const others = sites.get(engineId) ?? new Set()
      sites.set(engineId, others.add(site))
    },
    unlink,
  }
}
