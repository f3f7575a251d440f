import type { LabelExpression } from '../fleet/expression.ts'
import type { Container } from './container/container.ts'
import type { Traffic } from './ingress/traffic.ts'
import type { Network } from './network.ts'
import type { Pod } from './pod/pod.ts'
import type { SwarmService } from './swarm/swarm-service.ts'
import type { Volume } from './volume.ts'

/** The unit that is versioned and deployed as a whole (X3). */
export type Application = {
  readonly name: string
  /** Shown, and set as a label. It is no part of any fingerprint (D6). */
  readonly version?: string
  /** The commit that the application was read from, if that is an earlier one than the plan's. */
  readonly commit?: string
  readonly services: readonly Service[]
  /** Other applications of the environment that have to be healthy first, by name (G11). */
  readonly requires: readonly Requirement[]
  /**
   * From which running versions this one can be reached, and how; absent: from any, by each service's own strategy
   * (A42).
   */
  readonly upgrades?: readonly UpgradePath[]
}

/** One way from an older version to this one (A40). */
export type UpgradePath = {
  /** A regular expression that the running version matches. */
  readonly fromPattern: string
  /** `stop-and-restart`: all old instances of the application stop before a new one starts. */
  readonly method: 'stop-and-restart' | 'per-service'
  /** For every service of the application, by name: the strategy that replaces its own. */
  readonly services: Readonly<Record<string, Strategy>>
}

export type Requirement = {
  readonly application: string
  /** A semver range for the other application's `version`. */
  readonly range: string
}

/** A set of equal instances. */
export type Service = {
  readonly name: string
  readonly instances: readonly Instance[]
  /** One instance on each node of a Swarm; on a host one. */
  readonly isGlobal?: true
  /** The nodes of a Swarm that may run it, by their labels; absent: all. On a host it says nothing. */
  readonly nodes?: LabelExpression
  /** The labels of nodes over whose values a Swarm spreads its tasks, the coarsest first; absent: over nodes alone. */
  readonly spread?: readonly string[]
  readonly strategy: Strategy
  /** What runs once per rollout: hooks and phases, in no order. */
  readonly jobs?: readonly Job[]
  /** Absent: no request of a user concerns it. */
  readonly traffic?: Traffic
  /**
   * What it would run with `replicas: 0` taken back, whose images are not pinned; absent: it has instances. Nothing of
   * it is made, and its networks stay.
   */
  readonly resting?: Resting
}

/** An instance that is not wanted now, and what would run once before it. */
export type Resting = { readonly instances: readonly [Instance]; readonly jobs: readonly Job[] }

/** The smallest unit that is scheduled: its containers are created, replaced and removed together. */
export type Instance = {
  /** Holds the network, and whatever else the containers share; absent if there is only one container. */
  readonly sandbox?: Container
  /**
   * The probes that the sandbox performs. They are set on the engine as its command, so this is no part of the
   * fingerprint.
   */
  readonly probed?: readonly SandboxProbe[]
  /** Whether the containers see each other's processes, through the sandbox. */
  readonly sharesProcesses?: boolean
  /** They run to their end, one after the other, before the containers start. */
  readonly init?: readonly Container[]
  readonly containers: readonly [Container, ...Container[]]
  readonly network: Network
  /** Names under which others reach it on its network, besides the name of its service. */
  readonly aliases?: readonly string[]
  /** Further networks to which it is attached, without a name of its own there. */
  readonly attachments?: readonly Network[]
  /**
   * Further networks on which others reach it under the name of its service. They change while it runs, so they are no
   * part of its fingerprint.
   */
  readonly reached?: readonly Network[]
  /** The persistent volumes that it mounts, or that have to exist for another reason. */
  readonly volumes: readonly Volume[]
  /** It stands for all instances of its service, which run as one service of a Swarm. */
  readonly runs?: SwarmService
  /** What is told of it as a pod. Nothing of it is set on the engine, so it is no part of the fingerprint. */
  readonly pod?: Pod
}

/** A probe of a container over the network that it shares with its sandbox (A44). */
export type SandboxProbe = {
  readonly container: string
  readonly kind: 'startup' | 'liveness' | 'readiness'
  readonly over: 'http' | 'tcp'
}

/** Runs to its end once per rollout, in a container of its own (H5, P4). */
export type Job = {
  /** `pre`, `mid` and `post` are lifecycle hooks (H1); `test` and `deploy` are phases of a Pallet application (P3). */
  readonly stage: 'test' | 'pre' | 'deploy' | 'mid' | 'post'
  readonly container: Container
  readonly network: Network
  readonly attachments?: readonly Network[]
  readonly volumes: readonly Volume[]
  readonly onFailure: 'retry' | 'abort' | 'ignore'
  /** Absent: without a limit (P7). */
  readonly timeoutMs?: number
  /** Not run again for an image with which it succeeded before in this environment (D10). */
  readonly oncePerImage?: true
}

/** How instances are replaced. `auto`: rolling, unless something is exclusive (D7). */
export type Strategy = {
  readonly type: 'auto' | 'rolling' | 'recreate'
  /** Numbers of instances, or percentages of them such as `25%`. */
  readonly maxSurge: number | string
  readonly maxUnavailable: number | string
  /** How long an instance without a health check has to run without a restart to pass the gate. */
  readonly healthyMs: number
  /** How long one instance may take to pass the gate (G12). */
  readonly timeoutMs: number
  /**
   * How long a whole rollout may take, including its hooks, but without a phase that must not be interrupted (H25,
   * X12).
   */
  readonly deadlineMs?: number
}
