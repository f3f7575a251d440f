import type { Stand } from '../../../fleet/spread/stand.ts'
import { optional } from '../../../object.ts'
import type { QueuedVersion } from '../application/waiting/queue-view.ts'
import type { DeploymentState } from './deployment-stand.ts'
import { isUnanswering, reasonOn, type SeenOnSites, type SiteReason } from './site-reasons.ts'
import { versionOn } from './version-there.ts'

/** A site that is not done, the version that runs there (empty: none), and why and since when that is so. */
export type SiteWithout = SiteReason & {
  readonly site: string
  readonly version: string
  /** What waits there, if it gets to the version by way of others (A65). */
  readonly queue?: readonly QueuedVersion[]
}

/** What is said of the deployment as a whole is not repeated for each of its sites. */
export function withoutRepeating(
  one: SiteWithout,
  { wait }: Stand,
  state: DeploymentState,
  seen: SeenOnSites,
): SiteWithout {
  const { reason: _, code: __, since: ___, ...rest } = one
  const { site } = rest
  if (isUnanswering(site, seen)) return one
  if (wait.for === 'correction' && wait.failed.site === site) return { ...rest, reason: 'failed' }
  switch (seen.on.get(site)?.code) {
    case 'not-its-turn':
      return { ...rest, reason: 'waits for its turn' }
    case 'deployment-stopped':
      return { ...rest, reason: state }
    default:
      return one
  }
}

/** Returns what is told of a site that is not done. */
export function withoutVersion(site: string, seen: SeenOnSites): SiteWithout {
  const { queue = [] } = seen.on.get(site) ?? {}
  const way = queue.length < 2 ? undefined : queue
  return { site, version: versionOn(site, seen), ...reasonOn(site, seen), ...optional('queue', way) }
}
