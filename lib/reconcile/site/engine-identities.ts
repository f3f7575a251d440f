/** Which engine each site of an environment is, by the engine's own identity. */
export type EngineIdentities = {
  /** Returns true once: then all engines are asked who they are. */
  isFirstMeeting(): boolean
  /** The identity of a site's engine, once it was asked. */
  engineOf(site: string): string | undefined
  /** Notes who the engine of a site is now, in place of whom it was taken for before. */
  meet(site: string, engineId: string): void
  /** Forgets who the engine of a site is. */
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
}

/** Creates the memory of engines that were not asked yet. */
export function createEngineIdentities(): EngineIdentities {
  const engines = new Map<string, string>()
  const sites = new Map<string, Set<string>>()
  const atWork = new Map<string, string>()
  let haveMet = false
  const forget = (site: string) => {
    sites.get(engines.get(site) ?? '')?.delete(site)
    engines.delete(site)
  }
  return {
    isFirstMeeting() {
      const isFirst = !haveMet
      haveMet = true
      return isFirst
    },
    engineOf: site => engines.get(site),
    meet(site, engineId) {
      forget(site)
      engines.set(site, engineId)
      const known = sites.get(engineId) ?? new Set()
      sites.set(engineId, known.add(site))
    },
    forget,
    sitesOf: engineId => sites.get(engineId) ?? new Set(),
    take(engineId, site) {
      const other = atWork.get(engineId)
      if (other !== undefined && other !== site) return other
      atWork.set(engineId, site)
      return undefined
    },
    free: engineId => void atWork.delete(engineId),
  }
}
