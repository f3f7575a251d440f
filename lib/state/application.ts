import type { Container } from './container.ts'

/** What is versioned and deployed as one (X3). */
export type Application = {
  readonly name: string
  /** Shown and carried as a label; no part of any fingerprint (D6). */
  readonly version?: string
  readonly services: readonly Service[]
  /** Other applications of the environment that must be healthy first, by name (G11). */
  readonly requires: readonly Requirement[]
}

export type Requirement = {
  readonly application: string
  /** A semver range on the other one's `version`. */
  readonly range: string
}

/** N instances that do one thing. */
export type Service = {
  readonly name: string
  readonly instances: readonly Instance[]
  readonly strategy: Strategy
}

/** The smallest scheduled unit: its containers are created, replaced and removed together. */
export type Instance = {
  readonly containers: readonly [Container, ...Container[]]
  readonly network: Network
  readonly volumes: readonly Volume[]
}

/** A network of ours, by its name on the engine. */
export type Network = { readonly name: string; readonly application?: string }

/** A named volume of ours, by its name on the engine; never removed by a reconcile (D3). */
export type Volume = {
  readonly name: string
  readonly application: string
  readonly driver?: string
  readonly driverOptions?: Readonly<Record<string, string>>
}

/** How instances are replaced. `auto`: rolling unless something is exclusive (D7). */
export type Strategy = {
  readonly type: 'auto' | 'rolling' | 'recreate'
  /** Numbers of instances, or percentages of them as `25%`. */
  readonly maxSurge: number | string
  readonly maxUnavailable: number | string
  /** How long an instance without a health check must run without a restart to pass the gate. */
  readonly healthyMs: number
  /** How long one instance may take to pass the gate (G12). */
  readonly timeoutMs: number
}
