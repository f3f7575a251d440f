import type { Timed } from './timed.ts'

/**
 * What waits on sites because of their deployments. Invariants:
 *
 * - A version that waits for its turn waits quietly as long as nothing else on the site depends on why it does, so that
 *   nobody has to look there if only that changes.
 * - What a pause holds back waits since it was found first, until it is found that nothing does.
 */
export type WaitingOnSites = {
  isQuiet(application: string, site: string, version: string): boolean
  /**
   * Notes which version waits quietly on a site; undefined: none waits there, or something depends on it. Returns whether
   * something does that did not before.
   */
  setQuiet(application: string, site: string, version: string | undefined): boolean
  /** Returns since when a change without a new version waits, in ms since 1970; undefined: none does. */
  heldBackMs(application: string, site: string): number | undefined
  /** Notes whether one waits because the deployment is paused, which was found at a time. */
  setHeldBack(application: string, site: string, isHeldBack: boolean, atMs: number): void
  /** Forgets a site, which is gone or has another engine now. */
  forget(site: string): void
}

/** Creates the memory of an environment in which nothing was found to wait yet. */
export function createWaitingOnSites(): WaitingOnSites & Timed {
  /** Both by application and site. */
  const [quiet, heldBack] = [new Map<string, Map<string, string>>(), new Map<string, Map<string, number>>()]
  return {
    isQuiet: (application, site, version) => quiet.get(application)?.get(site) === version,
    setQuiet(application, site, version) {
      const sites = quiet.get(application) ?? new Map()
      quiet.set(application, sites)
      if (version === undefined) return sites.delete(site)
      sites.set(site, version)
      return false
    },
    heldBackMs: (application, site) => heldBack.get(application)?.get(site),
    setHeldBack(application, site, isHeldBack, atMs) {
      const sites = heldBack.get(application) ?? new Map()
      heldBack.set(application, sites)
      if (!isHeldBack) sites.delete(site)
      else if (!sites.has(site)) sites.set(site, atMs)
    },
    forget(site) {
      for (const sites of [...quiet.values(), ...heldBack.values()]) sites.delete(site)
    },
    putForward(byMs) {
      for (const sites of heldBack.values()) for (const [site, ms] of sites) sites.set(site, ms + byMs)
    },
  }
}
