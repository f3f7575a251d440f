import type { Gist } from './facts/gist.ts'

/**
 * Returns those of the sites that were given the version before the last batch was drawn, and on which what was begun then
 * has not ended: they were away meanwhile, or the deployment did not mean them. Pure.
 * @param hasBegun whether something was begun on a site, since that time at the latest, and has not ended
 */
export function begunBefore(
  sites: readonly string[],
  { batches, givenMs }: Pick<Gist, 'batches' | 'givenMs'>,
  hasBegun: (site: string, sinceMs: number) => boolean,
): ReadonlySet<string> {
  const last = batches.at(-1)
  if (last === undefined) return new Set()
  const inLast = new Set(last.sites)
  return new Set(
    sites.filter(site => {
      const atMs = givenMs.get(site)
      return atMs !== undefined && !inLast.has(site) && hasBegun(site, atMs)
    }),
  )
}
