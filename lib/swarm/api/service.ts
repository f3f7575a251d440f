import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'

/** The part of `GET /services` that is used. */
export type ToldService = {
  readonly ID: string
  readonly Version: { readonly Index: number }
  readonly CreatedAt?: string
  readonly UpdatedAt?: string
  readonly Spec: ServiceSpec
  readonly PreviousSpec?: ServiceSpec
  readonly UpdateStatus?: {
    readonly State?: string
    readonly Message?: string
    readonly StartedAt?: string
  }
  readonly ServiceStatus?: { readonly RunningTasks: number; readonly DesiredTasks: number }
  /** Of a job: which run it is at, and when that was begun. */
  readonly JobStatus?: {
    readonly JobIteration?: { readonly Index?: number }
    readonly LastExecution?: string
  }
}

/** A specification as the manager tells it. What is not named here is kept as it is. */
export type ServiceSpec = {
  readonly Name: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly TaskTemplate: {
    readonly ContainerSpec?: ContainerSpec
    readonly Networks?: readonly { readonly Target: string }[]
    readonly ForceUpdate?: number
    readonly Placement?: Placement
    readonly [key: string]: unknown
  }
  readonly Mode?: { readonly Replicated?: { readonly Replicas?: number }; readonly Global?: object }
  readonly EndpointSpec?: { readonly Mode?: string; readonly Ports?: readonly ToldPort[] | null }
  readonly [key: string]: unknown
}

/** A port that a service publishes, on each node or on those that run a task. */
export type ToldPort = {
  readonly PublishedPort?: number
  readonly Protocol?: 'tcp' | 'udp' | 'sctp'
  readonly PublishMode?: string
}

/** What a service asks of nodes. */
type Placement = {
  readonly Constraints?: readonly string[] | null
  readonly Platforms?: readonly { readonly OS?: string; readonly Architecture?: string }[] | null
}

export type ContainerSpec = {
  readonly Image: string
  readonly Labels?: Readonly<Record<string, string>> | null
  readonly Configs?: readonly { readonly ConfigID: string }[] | null
  readonly Secrets?: readonly { readonly SecretID: string }[] | null
  readonly Healthcheck?: { readonly Test?: readonly string[] | null } | null
  readonly [key: string]: unknown
}

/** The part of `GET /tasks` that is used. */
export type Task = {
  readonly ID: string
  readonly ServiceID: string
  readonly NodeID?: string
  readonly Slot?: number
  readonly CreatedAt?: string
  readonly Spec: {
    readonly ContainerSpec?: ContainerSpec
    readonly ForceUpdate?: number
    readonly Resources?: { readonly Limits?: { readonly MemoryBytes?: number } }
  }
  readonly DesiredState: string
  readonly Status: {
    readonly Timestamp: string
    readonly State: string
    /** What was done last, also by one that failed then: `preparing`, `starting`, `started`, `finished`. */
    readonly Message?: string
    readonly Err?: string
    readonly ContainerStatus?: { readonly ExitCode?: number }
  }
}

/** Returns how many tasks a service is told to have. */
export function replicasOf({ Mode }: Pick<ServiceSpec, 'Mode'>): SwarmService['replicas'] {
  return Mode?.Global === undefined ? (Mode?.Replicated?.Replicas ?? 1) : 'global'
}

/** Returns how a service is told to have so many tasks. */
export function modeOf(replicas: SwarmService['replicas']): NonNullable<ServiceSpec['Mode']> {
  return replicas === 'global' ? { Global: {} } : { Replicated: { Replicas: replicas } }
}
