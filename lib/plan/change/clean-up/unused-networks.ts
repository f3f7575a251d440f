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
import { cleanUp } from './clean-up.ts'

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
  const unused = resources.networks.filter(network => !wanted.has(network) && !inUse.has(network))
  if (unused.length === 0) return []
  const users = usersOf(diff.differences)
  const answeringOn = byNetwork(answering.map(one => [one, one.networks]))
  return unused
    .map(network => removal(diff.site, network, users.get(network) ?? [], answeringOn.get(network) ?? []))
    .map(change => (isLeft(desired) ? { ...change, goesWithLast: true as const } : change))
}

/** It stays on the networks of pods that are gone as long as there are these networks. */
function isMetadataService({ application }: LiveContainer): boolean {
  return application === metadataName
}

/** Returns which of these have instances on each network. */
function usersOf(differences: readonly Difference[]): ReadonlyMap<string, readonly Difference[]> {
  return byNetwork(
    differences.map(difference => {
      const there = [...difference.surplus, ...difference.matched.map(({ live }) => live)]
      const networks = there.flatMap(({ containers }) => containers.flatMap(one => one.networks))
      return [difference, [...new Set(networks)]]
    }),
  )
}

function byNetwork<T>(
  all: readonly (readonly [one: T, networks: readonly string[]])[],
): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>()
  for (const [one, networks] of all)
    for (const network of networks) {
      const there = found.get(network)
      if (there === undefined) found.set(network, [one])
      else there.push(one)
    }
  return found
}

function removal(
  site: string,
  network: string,
  users: readonly Difference[],
  answering: readonly LiveContainer[],
): Change {
  return cleanUp({
    site,
    application: network,
    service: `network ${network}`,
    cause: users.some(({ kind }) => kind === 'orphaned') ? 'orphaned' : 'diverged',
    reason: 'no longer used',
    lines: [{ sign: '-', name: `network ${network}`, reason: 'no longer used' }],
    first: answering.map(
      ({ engineName: container }): Step => ({ do: 'disconnect-network', container, network }),
    ),
    steps: [{ do: 'remove-network', network }],
    after: users.map(user => ({ key: keyOf(user), must: 'succeed' })),
  })
}
