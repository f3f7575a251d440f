import type { LabelledSite } from '../../../fleet/placement.ts'
import type { PlacedSites } from '../../../journal/fleet/placements.ts'
import { onceFor } from '../../../memo/once-for.ts'
import type { SiteRenamed } from '../../../state/fleet/run.ts'

/** A site is its connection: under another name it is the same one. */
export type ConnectedSite = LabelledSite & { readonly endpoint?: string }

/** Endpoints by name of a site. */
type Endpoints = Readonly<Record<string, string>>

/** Returns the endpoints of sites by name; empty: the engine of this machine. */
export const endpointsOf: (sites: readonly ConnectedSite[]) => Endpoints = onceFor(sites =>
  Object.fromEntries(sites.map(({ name, endpoint = '' }) => [name, endpoint])),
)

/** The sites that no longer have the endpoint that they had. Most of the time there are none, and many to go through. */
const movedFrom = onceFor((known: Endpoints) =>
  onceFor((now: Endpoints) =>
    Object.entries(known).filter(([site, endpoint]) => endpointIn(now, site) !== endpoint),
  ),
)

/**
 * Returns a placement in which sites that have another name now are called by it, and known by the endpoints that they
 * have now. A placement of a former version knows those of now. Returns the same value if nothing changed. Pure.
 */
export function renamed(before: PlacedSites, now: Endpoints): PlacedSites {
  const { known } = before
  if (known === undefined) return { ...before, known: now }
  if (movedFrom(known)(now).length === 0) return before
  const renames = renamesIn(before, now)
  const nameOf = (site: string) => renames.get(site) ?? site
  return {
    ...before,
    sites: before.sites.map(nameOf),
    canaries: before.canaries.map(nameOf),
    known: Object.fromEntries(
      Object.entries(known).map(([site, endpoint]) => [
        nameOf(site),
        endpointIn(now, nameOf(site)) ?? endpoint,
      ]),
    ),
  }
}

/**
 * Returns the present names of the sites of a placement that have another name now, by those of before. A site has
 * another name if that has its endpoint, and had another one before or was not there. If its endpoint is gone, it keeps
 * its name, unless that is another site's now: then it has the name that became free. Pure.
 */
export function renamesIn(
  { known = {} }: Pick<PlacedSites, 'known'>,
  now: Endpoints,
): ReadonlyMap<string, string> {
  const moved = movedFrom(known)(now)
  if (moved.length === 0) return new Map()
  const nameAt = new Map(
    Object.entries(now).flatMap(([site, endpoint]) =>
      endpointIn(known, site) === endpoint ? [] : [[endpoint, site]],
    ),
  )
  const renames = new Map(
    moved.flatMap(([site, endpoint]) => {
      const name = nameAt.get(endpoint)
      return name === undefined ? [] : [[site, name] as const]
    }),
  )
  const formerOf = new Map([...renames].map(([site, name]) => [name, site]))
  const displaced = moved.map(([site]) => site).filter(site => formerOf.has(site) && !renames.has(site))
  return new Map([...renames, ...displaced.map(site => [site, freeName(site, formerOf)] as const)])
}

/** A site may be called as something that every object has. */
function endpointIn(endpoints: Endpoints, site: string): string | undefined {
  return Object.hasOwn(endpoints, site) ? endpoints[site] : undefined
}

/** Returns the name that nobody has any more because one site after the other got that of the next. */
function freeName(site: string, formerOf: ReadonlyMap<string, string>): string {
  const former = formerOf.get(site)
  return former === undefined ? site : freeName(former, formerOf)
}

/**
 * Returns the present names of sites as facts of a run, in which they have the names of before. Of names that sites
 * exchange, each is free before another site gets it: no site can have the names with a blank that are used meanwhile.
 */
export function asFacts(renames: ReadonlyMap<string, string>, atMs: number): readonly SiteRenamed[] {
  const isFree = ([, to]: readonly [string, string]) => !renames.has(to)
  const exchanged = [...renames].filter(one => !isFree(one))
  const steps = [
    ...exchanged.map(([site]) => [site, `once ${site}`] as const),
    ...[...renames].filter(isFree),
    ...exchanged.map(([site, to]) => [`once ${site}`, to] as const),
  ]
  return steps.map(([site, to]) => ({ kind: 'renamed', atMs, site, to }))
}

/** Returns the sites that were not there when a placement was evaluated, and have no place in it. */
export function joinedSince(placement: PlacedSites, now: readonly ConnectedSite[]): ReadonlySet<string> {
  return joinedTo(placement)(now)
}

const joinedTo = onceFor(({ sites, known }: PlacedSites) =>
  onceFor((now: readonly ConnectedSite[]): ReadonlySet<string> => {
    if (known === undefined) return new Set()
    const placed = new Set(sites)
    const names = now.map(({ name }) => name)
    return new Set(names.filter(name => !Object.hasOwn(known, name) && !placed.has(name)))
  }),
)

/** Returns a placement without the sites that are no longer in the environment: nothing can be done there. */
export function placedHere(placement: PlacedSites, sites: readonly ConnectedSite[]): PlacedSites {
  return hereOf(placement)(sites)
}

const hereOf = onceFor((placement: PlacedSites) =>
  onceFor((sites: readonly ConnectedSite[]): PlacedSites => {
    const here = new Set(sites.map(({ name }) => name))
    const isHere = (site: string) => here.has(site)
    return {
      ...placement,
      sites: placement.sites.filter(isHere),
      canaries: placement.canaries.filter(isHere),
    }
  }),
)
