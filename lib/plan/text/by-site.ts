/** How many sites are named before the others are only counted. */
const named = 3

type OnSite = { readonly site: string }

/** Those of several sites that are told with one text. */
export type SameReading<One> = readonly [One, ...One[]]

/**
 * Returns the texts of what is on sites. What reads the same on several sites is told once: `web on 128 sites: a, b, c …`.
 * @param textOf is given the names of all sites that a text is told of, to be named in commands
 * @param inWords names several sites
 */
export function toldOnce<One extends OnSite, Text>(
  all: readonly One[],
  textOf: (one: One, sites: readonly string[]) => Text,
  inWords: (sites: readonly string[]) => string,
): readonly Text[] {
  return alikeAmong(all, one => textOf({ ...one, site: '' }, [])).flatMap(alike => {
    const sites = sitesAmong(alike)
    return sites.length === 1
      ? alike.map(one => textOf(one, sites))
      : [textOf({ ...alike[0], site: inWords(sites) }, sites)]
  })
}

/** Returns groups of what reads the same, in the order of their first ones. */
export function alikeAmong<One>(
  all: readonly One[],
  readingOf: (one: One) => unknown,
): readonly SameReading<One>[] {
  const groups = Map.groupBy(all, one => JSON.stringify(readingOf(one)))
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others] as const],
  )
}

/** Returns the sites of several, each once. */
export function sitesAmong(all: readonly OnSite[]): readonly string[] {
  return [...new Set(all.map(({ site }) => site))]
}

/** Returns `128 sites: a, b, c …`; the name of an only site. */
export function sitesInWords(sites: readonly string[], most = named): string {
  if (sites.length === 1) return sites.join('')
  const names = sites.slice(0, most).join(', ')
  return `${sites.length} sites: ${names}${sites.length > most ? ' …' : ''}`
}

/** Returns the sites of a change as a plan names them. `every`: all are named. */
export function sitesInPlan(sites: readonly string[], every: boolean): string {
  const isCut = !every && sites.length > named
  return isCut ? `${sitesInWords(sites)} (--sites lists them)` : sitesInWords(sites, sites.length)
}
