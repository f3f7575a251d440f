/**
 * Who writes to a site, as far as this process knows: it does, or another one does. `none`: nobody could be asked, and
 * nobody is known who does.
 */
export type WhoseSite = 'ours' | 'theirs' | 'none'

/** Who writes to the sites of an environment. A site that was not asked yet is not among them. */
export type WhoseSites = {
  set(site: string, whose: WhoseSite): void
  forget(site: string): void
  of(site: string): WhoseSite | undefined
  /** The sites to which another process writes. */
  theirs(): ReadonlySet<string>
  /**
   * Whether this process writes to at least one of that many sites, and knows of all of them who writes there. `isAlone`:
   * and nobody else does to any of them. Until then, another process may be at work on them (D17).
   */
  areOurs(sites: number, isAlone: boolean): boolean
}

/** Creates what is known of an environment of which no site was asked yet. */
export function createWhoseSites(): WhoseSites {
  const known = new Map<string, WhoseSite>()
  // It is asked after each pass, so that no answer may cost more the more sites there are.
  const counts = { ours: 0, theirs: 0, none: 0 }
  const forget = (site: string) => {
    const before = known.get(site)
    if (before !== undefined) counts[before] -= 1
    known.delete(site)
  }
  return {
    set(site, whose) {
      forget(site)
      known.set(site, whose)
      counts[whose] += 1
    },
    forget,
    of: site => known.get(site),
    theirs: () => new Set([...known].flatMap(([site, whose]) => (whose === 'theirs' ? [site] : []))),
    areOurs: (sites, isAlone) => counts.ours > 0 && known.size >= sites && !(isAlone && counts.theirs > 0),
  }
}
