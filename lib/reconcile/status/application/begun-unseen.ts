import type { OpenAttempt } from '../../../journal/services/attempts.ts'
import { byText } from '../../../text/order.ts'
import { optionalTime } from '../../../text/time.ts'
import type { ApplicationStatus } from './application-status.ts'
import { applicationKey, whatBegan } from './under-way.ts'

/**
 * Returns the status of applications with those of which something has begun on a site that nobody has seen yet: it was
 * taken out in the middle of that, and is back (G13).
 * @param sites the names of the sites that are there now
 * @param isAway whether a site does not answer, so that nobody knows what has become of it
 */
export function withBegunUnseen(
  applications: readonly ApplicationStatus[],
  begun: readonly OpenAttempt[],
  sites: ReadonlySet<string>,
  isAway: (site: string) => boolean,
): readonly ApplicationStatus[] {
  if (begun.length === 0) return applications
  const known = new Set(applications.map(applicationKey))
  const unseen = new Map(
    begun
      .filter(one => sites.has(one.site) && !isAway(one.site) && !known.has(applicationKey(one)))
      .map(one => [applicationKey(one), one]),
  )
  if (unseen.size === 0) return applications
  const rows = [...unseen.values()].map(
    ({ site, application, of, begunAtMs }): ApplicationStatus => ({
      ...{ site, application, sync: 'OutOfSync', health: 'Unknown', version: '', running: 0, commit: '' },
      reason: `${whatBegan(of?.version)} has begun`,
      ...optionalTime('since', begunAtMs),
    }),
  )
  return [...applications, ...rows].sort(byText(({ site }) => site))
}
