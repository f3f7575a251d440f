import type { Attempts } from '../../journal/services/attempts.ts'
import { optional } from '../../object.ts'
import { optionalTime } from '../../text/time.ts'

/** A rollout that was begun on a site and is not over. Times are in ISO 8601. */
export type BegunRollout = {
  readonly site: string
  readonly application: string
  /** Absent: it is not known which version it brings. */
  readonly version?: string
  readonly since?: string
}

/**
 * Returns what has begun on these sites of an environment and is not over, one entry for each application on a site. What
 * had begun on a site that is gone, or has another name now, nobody ends there any more.
 */
export function underWayNow(
  journal: Pick<Attempts, 'openAttempts'>,
  environment: string,
  sites: ReadonlySet<string>,
): readonly BegunRollout[] {
  const here = journal.openAttempts(environment).filter(({ site }) => sites.has(site))
  const all = here.map(
    ({ site, application, of, begunAtMs }): BegunRollout => ({
      ...{ site, application },
      ...optional('version', of?.version),
      ...optionalTime('since', begunAtMs),
    }),
  )
  // The last one of several services of an application says as much as any.
  return [...new Map(all.map(one => [JSON.stringify([one.site, one.application]), one])).values()]
}
