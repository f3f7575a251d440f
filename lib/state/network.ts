/** A network by its name on the engine: of ours, unless it is the host's own. */
export type Network = {
  readonly name: string
  readonly application?: string
  /**
   * - `internal`: nothing outside of it is reached (A47), and no port is published.
   * - `published`: ports are published; what is outside is not reached, as nothing leaves under the host's address.
   * - `host`: no network of its own at all.
   * - `gate`: internal, and with addresses of our own choosing, so that an instance can keep its own (P12).
   */
  readonly mode?: 'internal' | 'published' | 'host' | 'gate'
  /** Of a gate: where its addresses are taken from, as `10.201.0.0/16`. */
  readonly pool?: string
}

/** The network of what the manifest alone describes; nothing that has a specification is ever on it. */
export function openNetwork(environment: string): Network {
  return { name: environment }
}

/** Whether a network is one on which only what has a specification is. */
export function isOfSpecification(network: string, environment: string): boolean {
  return network === 'host' || network.startsWith(`${environment}.`)
}
