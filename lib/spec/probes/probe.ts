/** How it is found out whether something in a container is well (A44). Times are whole seconds. */
export type Probe<A extends Action = Action> = {
  readonly action: A
  /** Between two tries. */
  readonly period: number
  /** Of one try. */
  readonly timeout: number
  /** How many in a row count. */
  readonly failures: number
  readonly successes: number
  /** Before the first try. */
  readonly delay: number
}

export type Action = NetworkAction | CommandAction

/** Tried from the sandbox: the network is the container's own. */
export type NetworkAction =
  | {
      readonly kind: 'http'
      readonly scheme: 'http' | 'https'
      readonly port: number
      readonly path: string
      /** What the `Host` header says. */
      readonly host: string
    }
  | { readonly kind: 'tcp'; readonly port: number }

/** Tried in the container. */
export type CommandAction = { readonly kind: 'command'; readonly words: readonly string[] }

export const probeKinds = ['startup', 'liveness', 'readiness'] as const
export type ProbeKind = (typeof probeKinds)[number]

/** Those of a container that its sandbox tries. */
export type NetworkProbes = { readonly [Kind in ProbeKind]?: Probe<NetworkAction> }

/** The one that its own health check is made of. */
export type CommandProbe = { readonly kind: ProbeKind; readonly probe: Probe<CommandAction> }
