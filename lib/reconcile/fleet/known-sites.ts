import type { LabelledSite } from '../../fleet/placement.ts'
import type { PlacedSites } from '../../journal/fleet/placements.ts'
import type { SiteRenamed } from '../../state/fleet/run.ts'

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
  const renames = renamesIn(before, now)
  const nameOf = (site: string) => renames.get(site) ?? site
  return {
    ...before,
    sites: before.sites.map(nameOf),
    canaries: before.canaries.map(nameOf),
    known: Object.fromEntries(Object.entries(known).map(([site, endpoint]) => [nameOf(site), endpoint])),
  }
}

/** Returns the present names of the sites of a placement that have another name now, by those of before. Pure. */
export function renamesIn(
  { known = {} }: Pick<PlacedSites, 'known'>,
  now: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const gone = Object.entries(known).filter(([site]) => !Object.hasOwn(now, site))
  if (gone.length === 0) return new Map()
  const joined = new Map(
    Object.entries(now).flatMap(([site, endpoint]) => (Object.hasOwn(known, site) ? [] : [[endpoint, site]])),
  )
  return new Map(
    gone.flatMap(([site, endpoint]) => {
      const name = joined.get(endpoint)
      return name === undefined ? [] : [[site, name] as const]
    }),
  )
}

/** Returns the present names of sites as facts of a run, in which they have the names of before. */
export function asFacts(renames: ReadonlyMap<string, string>, atMs: number): readonly SiteRenamed[] {
  return [...renames].map(([site, to]) => ({ kind: 'renamed', atMs, site, to }))
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
