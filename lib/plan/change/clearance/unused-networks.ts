import type { DesiredState } from '../../../state/application/desired.ts'
import { isMetadataNetwork, metadataName } from '../../../state/application/metadata.ts'
import { isLeft } from '../../../state/application/nothing-here.ts'
import { wantedNetworks } from '../../../state/application/wanted-networks.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import type { Difference, DiffResult } from '../../compare/diff.ts'
import type { Held } from '../../hold/held.ts'
import type { SiteResources } from '../../resources.ts'
import type { Step } from '../../step/step.ts'
import type { Change } from '../change.ts'
import { keyOf } from '../change.ts'
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
  const isEmpty = desired.applications.length === 0 && !isLeft(desired)
  if (unclear || isEmpty || resources.networks.length === 0) return []
  const wanted = new Set(wantedNetworks(desired).map(({ name }) => name))
  const staying = [...held.keys(), ...diff.inSync].flatMap(({ surplus, matched }) => [
    ...surplus,
    ...matched.map(({ live }) => live),
  ])
  const answering = staying.flatMap(({ containers }) => containers.filter(isMetadataService))
  const inUse = new Set(
    staying.flatMap(({ containers }) =>
      containers.flatMap(one =>
        isMetadataService(one) ? one.networks.filter(network => !isMetadataNetwork(network)) : one.networks,
      ),
    ),
  )
  return resources.networks
    .filter(network => !wanted.has(network) && !inUse.has(network))
    .map(network => removal(diff, network, answering))
    .map(change => (isLeft(desired) ? { ...change, goesWithLast: true as const } : change))
}

/** It stays on the networks of pods that are gone as long as there are these networks. */
function isMetadataService({ application }: LiveContainer): boolean {
  return application === metadataName
}

function removal(
  { site, differences }: DiffResult,
  network: string,
  answering: readonly LiveContainer[],
): Change {
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
    first: answering
      .filter(({ networks }) => networks.includes(network))
      .map(({ engineName: container }): Step => ({ do: 'disconnect-network', container, network })),
    steps: [{ do: 'remove-network', network }],
    after: users.map(user => ({ key: keyOf(user), must: 'succeed' })),
  })
}
