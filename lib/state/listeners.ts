/** A port of the host on some of its addresses; on all of them if the list is empty. */
export type Listener = { readonly port: number; readonly addresses: readonly string[] }

/** Where an ingress listens on the host. */
export type Listeners = {
  readonly http: Listener
  readonly https: Listener
  /** Where load balancers ask for the health; absent: nowhere. */
  readonly health?: Listener
}

/** The ingress of another environment on the same sites, and where it listens. */
export type Neighbour = {
  readonly environment: string
  readonly listeners: Listeners
  /** The sites on which its ports are reserved; absent: all of them. */
  readonly sites?: readonly string[]
}
