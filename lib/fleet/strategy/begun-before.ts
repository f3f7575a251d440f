import type { RunFact } from '../../state/fleet/run.ts'

/**
 * Returns those of the sites that were given the version before the last batch was drawn, and on which what was begun then
 * has not ended: they were away meanwhile, or the deployment did not mean them. Pure.
 * @param facts in the order in which they happened
 * @param hasBegun whether something was begun on a site, since that time at the latest, and has not ended
 */
export function begunBefore(
  sites: readonly string[],
  facts: readonly RunFact[],
  hasBegun: (site: string, sinceMs: number) => boolean,
): ReadonlySet<string> {
  const last = facts.findLast(fact => fact.kind === 'batch')
  if (last === undefined) return new Set()
  const inLast = new Set(last.sites)
  const givenMs = new Map(
    facts.flatMap(fact =>
      fact.kind === 'batch' || fact.kind === 'had'
        ? [...fact.sites, ...(fact.left ?? [])].map(site => [site, fact.atMs] as const)
        : [],
    ),
  )
  return new Set(
    sites.filter(site => {
      const atMs = givenMs.get(site)
      return atMs !== undefined && !inLast.has(site) && hasBegun(site, atMs)
    }),
  )
}
