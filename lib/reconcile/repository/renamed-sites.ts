import type { Site } from '../../config/site/sites.ts'
import type { Renaming } from '../../journal/environments/renamed-sites.ts'
import type { ServedSite } from '../../journal/environments/served-engines.ts'

/**
 * Returns the engines that have another name as a site now: whoever has the endpoint of a site is the same one (A25).
 * Those that share a name are in one group, because none of them has its new name before all others have theirs. Pure.
 * @param served as which site each engine was served last
 * @param sites the sites of now
 */
export function renamingsIn(
  served: readonly ServedSite[],
  sites: readonly Pick<Site, 'name' | 'endpoint'>[],
): readonly (readonly Renaming[])[] {
  const endpoints = new Map(sites.map(({ name, endpoint = '' }) => [name, endpoint]))
  const names = new Map([...endpoints].map(([name, endpoint]) => [endpoint, name]))
  const inPlace = new Set(
    served.flatMap(({ site, endpoint }) => (endpoints.get(site) === endpoint ? site : [])),
  )
  const renamings = served.flatMap(({ engine, site, endpoint }): readonly Renaming[] => {
    const to = names.get(endpoint)
    if (to === undefined || inPlace.has(site) || inPlace.has(to)) return []
    return [{ engine, endpoint, from: site, to }]
  })
  return groupsOf(new Map(renamings.map(one => [one.from, one])))
}

/** Follows each name to the next: what is left where none comes before the first is a ring. */
function groupsOf(byFrom: ReadonlyMap<string, Renaming>): readonly (readonly Renaming[])[] {
  const later = new Set([...byFrom.values()].map(({ to }) => to))
  const left = new Map(byFrom)
  const isFirst = ({ from }: Renaming) => !later.has(from)
  return [...byFrom.values()]
    .toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one)))
    .flatMap(first => {
      const group: Renaming[] = []
      for (let next = left.get(first.from); next !== undefined; next = left.get(next.to)) {
        left.delete(next.from)
        group.push(next)
      }
      return group.length === 0 ? [] : [group]
    })
}
