import { toFailure } from '../../errors.ts'
import { createPools } from '../../reconcile/concurrency/pools.ts'
import { isSource, type Repository } from '../../state/identity.ts'
import type { Logged } from '../../state/running/logged.ts'
import { byText } from '../../text/order.ts'
import { askEngine } from '../ask-engine.ts'
import type { LogSink, LogSite, LogSource } from './log-source.ts'

/** Returns a site of which only what belongs to a repository is there; undefined: whatever belongs to Tallyman. */
export function ownedBy(whose: Repository | undefined, site: LogSite): LogSite {
  if (whose === undefined) return site
  return {
    site: site.site,
    log: site.log,
    logged: async signal => (await site.logged(signal)).filter(({ source }) => isSource(source, whose)),
  }
}

/** Returns the containers of a site. Fails with `engine-unreachable` if it does not say them at once. */
export function listedOn(site: LogSite, signal: AbortSignal): Promise<readonly Logged[]> {
  return askEngine(site.site, limited => site.logged(limited), signal)
}

/** Returns all containers of all sites, by site and name. A site that does not answer is told, and the others count. */
export async function sourcesOn(
  sites: readonly LogSite[],
  { failure }: Pick<LogSink, 'failure'>,
  signal: AbortSignal,
): Promise<readonly LogSource[]> {
  const { look } = createPools()
  const sources = await Promise.all(
    sites.map(site =>
      look(site.site, async (): Promise<readonly LogSource[]> => {
        try {
          const all = await listedOn(site, signal)
          return all.map(one => ({ site, one }))
        } catch (error) {
          signal.throwIfAborted()
          failure(toFailure(error))
          return []
        }
      }),
    ),
  )
  return sources.flat().sort(byText(({ site, one }) => `${site.site} ${one.engineName}`))
}
