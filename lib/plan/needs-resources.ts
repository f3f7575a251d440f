import { networksOfService } from '../state/application/wanted-networks.ts'
import type { Difference, DiffResult } from './compare/diff.ts'
import { needsPorts } from './hold/held-by-ports.ts'
import type { SiteResources } from './resources.ts'

/**
 * Whether a plan for what differs can depend on what else a site has by now, beyond what was known of it when nothing
 * was left to do. It cannot if each difference is a service of a host that gets another specification, publishes no
 * port, needs no volume, and runs on all networks that it needs: a network stays as long as something runs on it. Pure.
 */
export function needsResources(found: Pick<DiffResult, 'differences'>, known: SiteResources): boolean {
  const { volumesKept, managesSwarm } = known
  const mayPass = volumesKept !== undefined || managesSwarm === true
  return mayPass || needsPorts(found) || !found.differences.every(runsWhereItNeeds)
}

function runsWhereItNeeds(difference: Difference): boolean {
  if (difference.kind !== 'diverged') return false
  const { declared, matched, surplus, faults } = difference
  const { service } = declared
  const parts = [...service.instances, ...(service.jobs ?? [])]
  const isOfHost = service.instances.every(({ runs }) => runs === undefined)
  if (!isOfHost || faults.length > 0 || parts.some(({ volumes }) => volumes.length > 0)) return false
  const there = new Set(
    [...matched.map(({ live }) => live), ...surplus].flatMap(({ containers }) =>
      containers.flatMap(({ state, networks }) => (state === 'running' ? networks : [])),
    ),
  )
  return networksOfService(service).every(({ name, mode }) => mode === 'host' || there.has(name))
}
