/** A port of the host, on these of its addresses; on all of them where there is none. */
export type Listener = { readonly port: number; readonly addresses: readonly string[] }

/** Where an ingress listens on the host. */
export type Listeners = {
  readonly http: Listener
  readonly https: Listener
  /** Where load balancers in front ask; absent: nowhere. */
  readonly health?: Listener
}

/** The ingress of another environment that shares a site with one, and where it listens there. */
export type Neighbour = { readonly environment: string; readonly listeners: Listeners }
