/**
 * Some of the sites of an environment, with one bit for each. So it takes no time to tell whether two of a thousand
 * applications share one of a thousand sites.
 */
export type SiteSet = bigint

/** All sites, whichever there are. */
export const everySite: SiteSet = -1n

/** No site. */
export const noSite: SiteSet = 0n

/** Whether some site is in both. */
export function shareSite(one: SiteSet, other: SiteSet): boolean {
  return (one & other) !== noSite
}

/** Returns the sites that are in any of these. */
export function sitesInAny(sets: Iterable<SiteSet>): SiteSet {
  let all = noSite
  for (const one of sets) all |= one
  return all
}

/** Returns the sites that are in more than one of these. */
export function sitesInSeveral(sets: Iterable<SiteSet>): SiteSet {
  let [all, several] = [noSite, noSite]
  for (const one of sets) {
    several |= all & one
    all |= one
  }
  return several
}
