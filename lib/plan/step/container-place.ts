import type { Network } from '../../state/application/network.ts'
import type { Pod } from '../../state/application/pod/pod.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import type { Volume } from '../../state/application/volume.ts'
import type { Identity } from '../../state/identity.ts'
import type { Role } from '../../state/running/live.ts'

/** Where a container belongs, according to its labels and networks. */
export type ContainerPlace = {
  readonly application: string
  readonly service: string
  readonly instance: number
  readonly role: Role
  readonly version?: string
  /** The commit that it is made from, if that is an earlier one than the plan's. */
  readonly commit?: string
  readonly fingerprint: string
  readonly network: Network
  /** Attached after its creation, before its start. */
  readonly attachments: readonly Network[]
  /** The same, where it has its aliases, too. A network that could not be made is left out. */
  readonly reached?: readonly Network[]
  readonly aliases: readonly string[]
  /** The name of its instance, from which the names of its ephemeral volumes are derived. */
  readonly instanceName: string
  /**
   * How its named volumes are made. A volume that was there when the plan was made may be gone when its container is
   * created, and an engine makes what is missing.
   */
  readonly volumes?: readonly Volume[]
  /** On a sandbox whose containers do not share its processes: they are cut off when it is restarted. */
  readonly ownProcesses?: true
  /** The sandbox that it lives in, instead of a network of its own. */
  readonly joins?: {
    readonly sandbox: string
    readonly processes: boolean
    /** It is told where the metadata service answers its pod (C53). */
    readonly isOfPod?: true
  }
  /** It stands for all instances of its service, which run as one service of a Swarm. */
  readonly runs?: SwarmService
  /** On the sandbox of a pod: what the metadata service tells its apps. */
  readonly pod?: Pod
}

/** What all containers of one plan have in their labels besides. It is no part of a fingerprint. */
export type Provenance = Identity & {
  readonly commit: string
  /** What the journal counted before anything was made; absent: it keeps no count of this. */
  readonly record?: string
}
