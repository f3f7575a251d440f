import { posix } from 'node:path'
import type { Problem } from '../errors.ts'
import type { DesiredState } from '../state/application/desired.ts'
import { wantedNetworks } from '../state/application/wanted-networks.ts'
import type { EnvironmentPlace } from '../state/identity.ts'

/** An environment, and the names of the networks that it would have on an engine. */
export type Networked = { readonly place: EnvironmentPlace; readonly networks: readonly string[] }

/** Returns the names of the networks that an environment would create. */
export function ownNetworkNames(desired: DesiredState): readonly string[] {
  return [...new Set(wantedNetworks(desired).flatMap(({ name, mode }) => (mode === 'host' ? [] : [name])))]
}

/**
 * Returns a warning for each network that has the name of one of another environment: `test.shop` is the network of
 * that environment, and of the application `shop` of `test`. No engine can have both. Which environments share an
 * engine is only known where they run.
 */
export function sharedNetworkNames(environments: readonly Networked[]): readonly Problem[] {
  const owners = new Map<string, string>()
  return environments.flatMap(({ place, networks }) =>
    networks.flatMap((network): readonly Problem[] => {
      const owner = owners.get(network) ?? place.name
      owners.set(network, owner)
      // Of two environments of one name, one has another name on engines.
      if (owner === place.name) return []
      return [
        {
          code: 'name-taken',
          message: `the network ${network} would have the name of one of ${owner}: rename one of the two if they run on one engine`,
          position: { file: posix.join(place.directory, 'manifest.json') },
        },
      ]
    }),
  )
}
