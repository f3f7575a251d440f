import { withoutSite } from './without-site.ts'

/** What is said of a site, which may begin with its name. */
type SaidOfSite = { readonly site: string; readonly message: string }

/**
 * Returns the first of those that read the same on several sites, but for the time since when it is so, with a message
 * that names them all: `a, b: another tallyman runs …`. What does not begin with the name of its site is told without it.
 */
export function onceForSites<One extends SaidOfSite>(all: readonly One[]): readonly One[] {
  const said = all.map(one => ({ one, text: withoutSite(one.message, one.site) }))
  const alike = Map.groupBy(said, ({ text }) => text.replace(/ since \d{4}-\d\d-\d\dT\S+Z/, ''))
  return [...alike.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { one, text } = first
    if (text === one.message) return [one]
    const sites = [one, ...others.map(other => other.one)].map(({ site }) => site)
    return [{ ...one, message: `${sites.join(', ')}: ${text}` }]
  })
}
