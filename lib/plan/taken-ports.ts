import { claimText, hostPort, meet } from '../state/claim.ts'
import type { Held } from './change.ts'
import type { Difference } from './diff.ts'
import type { SiteResources } from './resources.ts'

/**
 * Returns why a service cannot start what it lacks: a container that is none of the environment's publishes one of its
 * ports of the host. The engine would say so when the rollout is under way.
 */
export function heldByPort(
  { site, missing }: Pick<Difference, 'site' | 'missing'>,
  resources: readonly SiteResources[],
): Held | undefined {
  const taken = resources.find(one => one.site === site)?.ports ?? []
  if (taken.length === 0) return undefined
  const wanted = missing
    .flatMap(({ containers }) => containers.flatMap(({ spec: { ports = [] } }) => ports))
    .flatMap(port => hostPort(port) ?? [])
  for (const claim of wanted) {
    const holder = taken.find(({ port }) => meet(port, claim))?.holder
    if (holder !== undefined) return { code: 'port-taken', reason: `${holder} publishes ${claimText(claim)}` }
  }
  return undefined
}
