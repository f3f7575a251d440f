import type { DesiredState } from '../../state/application/desired.ts'
import { wantedNetworks } from '../../state/application/wanted-networks.ts'
import type { Difference, DiffResult } from '../compare/diff.ts'
import type { SiteResources } from '../resources.ts'
import type { Change, Held } from './change.ts'
import { keyOf } from './change.ts'
import { clearance } from './clearance.ts'

/**
 * Returns the removal of networks that nothing will use any more, after their last user is gone. Removes nothing while
 * an application is blocked or undecided, because what it would use is unknown (D15).
 */
export function unusedNetworks(
  diff: DiffResult,
  desired: DesiredState,
  resources: SiteResources,
  held: ReadonlyMap<Difference, Held>,
): readonly Change[] {
  const unclear = desired.blocked.length + diff.undecided.length > 0
  if (unclear || desired.applications.length === 0) return []
  const wanted = new Set(wantedNetworks(desired).map(({ name }) => name))
  const staying = [...held.keys(), ...diff.inSync].flatMap(({ surplus, matched }) => [
    ...surplus,
    ...matched.map(({ live }) => live),
  ])
  const inUse = new Set(staying.flatMap(({ containers }) => containers.flatMap(({ networks }) => networks)))
  return resources.networks
    .filter(network => !wanted.has(network) && !inUse.has(network))
    .map(network => removal(diff, network))
}

function removal({ site, differences }: DiffResult, network: string): Change {
  const users = differences.filter(({ surplus, matched }) =>
    [...surplus, ...matched.map(({ live }) => live)].some(({ containers }) =>
      containers.some(({ networks }) => networks.includes(network)),
    ),
  )
  return clearance({
    site,
    application: network,
    service: `network ${network}`,
    cause: users.some(({ kind }) => kind === 'orphaned') ? 'orphaned' : 'diverged',
    reason: 'no longer used',
    lines: [{ sign: '-', name: `network ${network}`, reason: 'no longer used' }],
    steps: [{ do: 'remove-network', network }],
    after: users.map(user => ({ key: keyOf(user), must: 'succeed' })),
  })
}
