/** How the health of a container is probed (A44). Times are whole seconds. */
export type Probe<A extends ProbeAction = ProbeAction> = {
  readonly action: A
  /** The time between two tries. */
  readonly period: number
  /** The time limit of one try. */
  readonly timeout: number
  /** How many in a row change the result. */
  readonly failures: number
  readonly successes: number
  /** The time before the first try. */
  readonly delay: number
}

export type ProbeAction = NetworkAction | CommandAction

/** A probe from the sandbox, which shares the network of the container. */
export type NetworkAction =
  | {
      readonly kind: 'http'
      readonly scheme: 'http' | 'https'
      readonly port: number
      readonly path: string
      /** The value of the `Host` header. */
      readonly host: string
    }
  | { readonly kind: 'tcp'; readonly port: number }

/** A probe inside the container. */
export type CommandAction = { readonly kind: 'command'; readonly words: readonly string[] }

/** The kinds of probes. */
export const probeKinds = ['startup', 'liveness', 'readiness'] as const
export type ProbeKind = (typeof probeKinds)[number]

/** The probes of a container that its sandbox performs. */
export type NetworkProbes = { readonly [Kind in ProbeKind]?: Probe<NetworkAction> }

/** The probe that becomes the container's own health check. */
export type CommandProbe = { readonly kind: ProbeKind; readonly probe: Probe<CommandAction> }
