/** Stands in a command for the sites that it is about: those that wait alike have one text. */
export const anySite = '--site SITE'

/** How many sites a command names; nobody reads or types more of them. */
const mostNamed = 3

/** Returns a text in which commands name these sites, if they are few, so that each can be run as it is written (G13). */
export function atSites(text: string, sites: readonly string[]): string {
  if (sites.length === 0 || sites.length > mostNamed) return text
  return text.replaceAll(anySite, sites.map(site => `--site ${site}`).join(' '))
}

/** Returns a text whose commands name no site in place of this one at their end, so that it is alike on all sites. */
export function atAnySite(text: string, site: string): string {
  return text.replaceAll(`--site ${site}"`, `${anySite}"`)
}
