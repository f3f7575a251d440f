/** A network by its name on the engine. It is Tallyman's own, unless it is the host's. */
export type Network = {
  readonly name: string
  readonly application?: string
  /**
   * - `internal`: containers reach nothing outside of it (A47), and no port is published.
   * - `published`: ports are published, but containers reach nothing outside, because packets do not leave under the
   *   host's address.
   * - `host`: the host's network.
   * - `gate`: internal, and with addresses that Tallyman chooses, so that an instance can keep its own (P12).
   */
  readonly mode?: 'internal' | 'published' | 'host' | 'gate'
  /** For a gate: the range of its addresses, such as `10.201.0.0/16`. */
  readonly pool?: string
}

/** Returns the network of services that only the manifest describes. No service with a specification is ever on it. */
export function openNetwork(environment: string): Network {
  return { name: environment }
}

/**
 * Returns the name of a network as an overlay of a Swarm, which allows no dots. No bridge of a host that is one of its
 * nodes has that name.
 */
export function overlayName(network: string, environment: string): string {
  return network === environment ? openOverlay(environment) : network.replaceAll('.', '_')
}

/** No application has a name that begins with an underscore. */
function openOverlay(environment: string): string {
  return `${environment.replaceAll('.', '_')}__default`
}

/** Whether only services with a specification are on a network. */
export function isOfSpecification(network: string, environment: string): boolean {
  if (network === openOverlay(environment)) return false
  return network === 'host' || [`${environment}.`, `${environment}_`].some(own => network.startsWith(own))
}
