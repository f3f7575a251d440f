import type { BatchDrawn } from '../../state/fleet/run.ts'

/**
 * Returns those of the sites that were drawn before the last batch was, and on which what was begun then has not ended:
 * they were away meanwhile, or the deployment did not mean them. Pure.
 * @param hasBegun whether something was begun on a site, since that time at the latest, and has not ended
 */
export function begunBefore(
  sites: readonly string[],
  batches: readonly BatchDrawn[],
  hasBegun: (site: string, sinceMs: number) => boolean,
): ReadonlySet<string> {
  const last = batches.at(-1)
  const drawnMs = new Map(
    batches.flatMap(({ sites, left = [], atMs }) => [...sites, ...left].map(site => [site, atMs] as const)),
  )
  return new Set(
    sites.filter(site => {
      const atMs = drawnMs.get(site)
      return atMs !== undefined && last?.sites.includes(site) === false && hasBegun(site, atMs)
    }),
  )
}
