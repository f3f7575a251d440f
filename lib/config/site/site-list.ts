import type { NoteFault } from '../listeners.ts'
import { shareEnvironment } from './shared-site.ts'
import { type BesideSites, readSiteEntry, type Site, type WrittenSite } from './sites.ts'

/**
 * Reads the sites of the list, and reports what is wrong in each, and those with the very same endpoint as one before
 * them, if any environment may run on both: only one of the two would be served.
 */
export function readSiteList(
  written: readonly WrittenSite[],
  beside: BesideSites,
  fault: NoteFault,
): readonly Site[] {
  const listed = written.map((site, index) => readSiteEntry(site, beside, `/sites/${index}`, fault))
  faultSameEngines(listed, fault)
  return listed
}

/**
 * Returns one text for what an endpoint leads to: an engine, or the Swarm that it manages, which may be another site than
 * the engine itself. Other names of one engine are noticed when it is asked who it is.
 */
export function engineOf({ endpoint = '', kind }: Pick<Site, 'endpoint' | 'kind'>): string {
  const place = endpoint.startsWith('unix:') ? endpoint : endpoint.toLowerCase()
  return kind === 'swarm' ? `swarm ${place}` : place
}

function faultSameEngines(listed: readonly Site[], fault: NoteFault): void {
  const placed = listed.map((site, index) => ({ site, index }))
  for (const alike of Map.groupBy(placed, ({ site }) => engineOf(site)).values())
    for (const [nth, { site, index }] of alike.entries()) {
      const rival = alike.slice(0, nth).find(other => isRival(other.site, site))
      if (rival === undefined) continue
      const key = site.endpoint === undefined ? '' : '/endpoint'
      fault(
        `/sites/${index}${key}`,
        `is the same engine as the site ${rival.site.name}: /sites/${rival.index}`,
      )
    }
}

/** One site that is there twice is reported as that. */
function isRival(one: Site, other: Site): boolean {
  return one.name.toLowerCase() !== other.name.toLowerCase() && shareEnvironment(one, other)
}
