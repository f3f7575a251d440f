import type { LabelledSite } from '../../fleet/placement.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'

/** A site is its connection: under another name it is the same one. */
export type ConnectedSite = LabelledSite & { readonly endpoint?: string }

/** Returns the endpoints of sites by name; empty: the engine of this machine. */
export function endpointsOf(sites: readonly ConnectedSite[]): Readonly<Record<string, string>> {
  return Object.fromEntries(sites.map(({ name, endpoint = '' }) => [name, endpoint]))
}

/**
 * Returns a placement in which sites that have another name now are called by it. A site has another name if its
 * endpoint is that of one that is gone, and it was not there before. A placement of a former version knows those of
 * now. Returns the same value if no site is gone. Pure.
 */
export function renamed(before: PlacedSites, now: Readonly<Record<string, string>>): PlacedSites {
  const known = before.known ?? now
  if (Object.keys(known).every(site => Object.hasOwn(now, site)))
    return before.known === undefined ? { ...before, known } : before
  const joined = new Map(
    Object.entries(now).flatMap(([site, endpoint]) => (Object.hasOwn(known, site) ? [] : [[endpoint, site]])),
  )
  const nameOf = (site: string) => {
    const endpoint = known[site]
    return Object.hasOwn(now, site) || endpoint === undefined ? site : (joined.get(endpoint) ?? site)
  }
  return {
    ...before,
    sites: before.sites.map(nameOf),
    canaries: before.canaries.map(nameOf),
    known: Object.fromEntries(Object.entries(known).map(([site, endpoint]) => [nameOf(site), endpoint])),
  }
}

/** Returns the sites that were not there when a placement was evaluated, and have no place in it. */
export function joinedSince(
  { sites, known }: PlacedSites,
  now: readonly ConnectedSite[],
): ReadonlySet<string> {
  const names = now.map(({ name }) => name)
  return new Set(
    known === undefined ? [] : names.filter(name => !Object.hasOwn(known, name) && !sites.includes(name)),
  )
}

/** Returns a placement without the sites that are no longer in the environment: nothing can be done there. */
export function placedHere(placement: PlacedSites, sites: readonly ConnectedSite[]): PlacedSites {
  const here = new Set(sites.map(({ name }) => name))
  const isHere = (site: string) => here.has(site)
  return {
    ...placement,
    sites: placement.sites.filter(isHere),
    canaries: placement.canaries.filter(isHere),
  }
}
