import type { FleetNews } from './fleet-news.ts'

/**
 * Which sites can go on with their applications now, and which of them passes of this process see. Invariants:
 *
 * - A site counts as ready until something else is found.
 * - None is ready whose windows are closed, or to which another process writes. What is found out of whether it could go
 *   on takes the place of closed windows.
 * - What changes is news for later, except for windows: those are noted by whoever advances the deployments.
 */
export type Readiness = {
  isReady(application: string, site: string): boolean
  /** Notes whether a site could go on with an application when it was last seen. */
  set(application: string, site: string, isReady: boolean): void
  /** The sites of which it is noted that their windows are closed. */
  closed(application: string): readonly string[]
  setClosed(application: string, site: string, isClosed: boolean): void
  /** Notes whether another process writes to a site. */
  setTheirs(site: string, isTheirs: boolean): void
  isSilent(site: string): boolean
  /** Notes whether a site gave no answer when it was last asked. */
  setSilent(site: string, isSilent: boolean): void
  /** Whether passes of this process see a site: it is not known to be silent, or to be written by somebody else. */
  isSeen(site: string): boolean
  /** Forgets a site, which is gone or has another engine now: it counts as ready again. */
  forget(site: string): void
}

/**
 * Creates the memory of an environment of which no site was looked at yet.
 * @param news is told what changes, and who cannot go on
 */
export function createReadiness(news: Pick<FleetNews, 'note' | 'noteUnready'>): Readiness {
  /** Both by application. */
  const [unready, closed] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()]
  const [silent, theirs] = [new Set<string>(), new Set<string>()]
  const couldGoOn = (application: string, site: string) =>
    unready.get(application)?.has(site) !== true && closed.get(application)?.has(site) !== true
  const noteLater = (isNews: boolean) => {
    if (isNews) news.note('later')
  }
  return {
    isReady: (application, site) => couldGoOn(application, site) && !theirs.has(site),
    set(application, site, isReady) {
      const couldBefore = couldGoOn(application, site)
      closed.get(application)?.delete(site)
      mark(sitesOf(unready, application), site, !isReady)
      noteLater(isReady !== couldBefore)
      if (!isReady) news.noteUnready(application, site)
    },
    closed: application => [...(closed.get(application) ?? [])],
    setClosed: (application, site, isClosed) => void mark(sitesOf(closed, application), site, isClosed),
    setTheirs: (site, isTheirs) => noteLater(mark(theirs, site, isTheirs)),
    isSilent: site => silent.has(site),
    setSilent: (site, isSilent) => noteLater(mark(silent, site, isSilent)),
    isSeen: site => !silent.has(site) && !theirs.has(site),
    forget(site) {
      const marked = [...unready.values(), ...closed.values(), silent, theirs].map(sites =>
        sites.delete(site),
      )
      noteLater(marked.includes(true))
    },
  }
}

function sitesOf(all: Map<string, Set<string>>, application: string): Set<string> {
  const sites = all.get(application) ?? new Set()
  all.set(application, sites)
  return sites
}

/** Has a site in a set or not. Returns whether that changes anything. */
function mark(sites: Set<string>, site: string, isIn: boolean): boolean {
  return isIn ? sites.size < sites.add(site).size : sites.delete(site)
}
