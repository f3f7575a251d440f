import type { Change } from '../change/change.ts'

/** How many sites are named before the others are only counted. */
const named = 3

/**
 * Returns the texts of changes. Those that read the same on several sites are told once: `web on 128 sites: a, b, c …`.
 * @param every names all sites
 */
export function toldOnce<Text>(
  changes: readonly Change[],
  textOf: (change: Change) => Text,
  every: boolean,
): readonly Text[] {
  const groups = Map.groupBy(changes, change => JSON.stringify(textOf({ ...change, site: '' })))
  return [...groups.values()].flatMap(alike => {
    const [first] = alike
    const sites = [...new Set(alike.map(({ site }) => site))]
    return first === undefined
      ? []
      : sites.length === 1
        ? alike.map(textOf)
        : [textOf({ ...first, site: inWords(sites, every) })]
  })
}

function inWords(sites: readonly string[], every: boolean): string {
  const isCut = !every && sites.length > named
  const names = isCut ? `${sites.slice(0, named).join(', ')} … (--sites lists them)` : sites.join(', ')
  return `${sites.length} sites: ${names}`
}
