import type { Container } from './container.ts'
import type { Network } from './network.ts'
import type { Gate, Route, Routing } from './route.ts'
import type { Volume } from './volume.ts'

/** What is versioned and deployed as one (X3). */
export type Application = {
  readonly name: string
  /** Shown and carried as a label; no part of any fingerprint (D6). */
  readonly version?: string
  /** The commit it was read from, where that is an earlier one than the plan is of. */
  readonly commit?: string
  readonly services: readonly Service[]
  /** Other applications of the environment that must be healthy first, by name (G11). */
  readonly requires: readonly Requirement[]
  /** From which running versions this one may come, and how; absent: from any, by each service's own strategy (A42). */
  readonly upgrades?: readonly UpgradePath[]
}

/** One way from an older version to this one (A40). */
export type UpgradePath = {
  /** A regular expression that the running version matches. */
  readonly fromPattern: string
  /** `stop-and-restart`: all old instances of the application stop before a new one starts. */
  readonly method: 'stop-and-restart' | 'per-service'
  /** For every service of the application, by name: what takes the place of its own strategy. */
  readonly services: Readonly<Record<string, Strategy>>
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
  /** What runs once per rollout, besides: hooks and phases, in no order. */
  readonly jobs?: readonly Job[]
  /** Which requests of users reach it (P33). */
  readonly routes?: readonly Route[]
  /** Where its instances are admitted to requests; of a service that has routes, or serves the files of one. */
  readonly gate?: Gate
  /** Of the ingress alone. */
  readonly proxy?: Routing
  /** Its container is the operator's: never made, changed or removed. */
  readonly external?: true
}

/** The smallest scheduled unit: its containers are created, replaced and removed together. */
export type Instance = {
  /** Holds the network, and what else the containers share; absent where there is but one container. */
  readonly sandbox?: Container
  /** Whether the containers see each other's processes, through the sandbox. */
  readonly sharesProcesses?: boolean
  /** Run one after the other to their end before the containers start. */
  readonly init?: readonly Container[]
  readonly containers: readonly [Container, ...Container[]]
  readonly network: Network
  /** Names under which others reach it on its network, besides that of its service. */
  readonly aliases?: readonly string[]
  /** Further networks it is attached to, without a name of its own there. */
  readonly attachments?: readonly Network[]
  /** Persistent volumes that it mounts. */
  readonly volumes: readonly Volume[]
}

/** Runs once per rollout, to its end, in a container of its own (H5, P4). */
export type Job = {
  /** `pre`, `mid` and `post` are lifecycle hooks (H1); `test` and `deploy` phases of a Pallet application (P3). */
  readonly stage: 'test' | 'pre' | 'deploy' | 'mid' | 'post'
  readonly container: Container
  readonly network: Network
  readonly attachments?: readonly Network[]
  readonly volumes: readonly Volume[]
  readonly onFailure: 'retry' | 'abort' | 'ignore'
  /** Absent: as long as it takes (P7). */
  readonly timeoutMs?: number
  /** Not run again for an image for which it succeeded before in this environment (D10). */
  readonly oncePerImage?: true
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
  /** How long a whole rollout may take, its hooks included; a phase that must not be cut off aside (H25, X12). */
  readonly deadlineMs?: number
}
