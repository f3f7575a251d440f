import type { SwarmService } from '../application/swarm/swarm-service.ts'
import type { Settings } from './settings.ts'

/** What one engine runs of one environment, as one list call shows it. */
export type LiveState = {
  readonly site: string
  readonly containers: readonly LiveContainer[]
}

export type RunState = 'created' | 'running' | 'restarting' | 'paused' | 'exited' | 'removing' | 'dead'

/** The result of the engine's health check; `none`: the container has no health check. */
export type Health = 'none' | 'starting' | 'healthy' | 'unhealthy'

/**
 * The purpose of a container. `hook`, `deploy` and `test` run once per rollout, `init` once per start of an instance.
 */
export type Role = 'app' | 'sandbox' | 'init' | 'hook' | 'deploy' | 'test'

/** A node of a Swarm, and how many tasks of a service run there. */
export type NodeOfTasks = {
  /** Its name, or its id once it has left. Several nodes may have one name. */
  readonly node: string
  readonly id: string
  readonly running: number
}

/** A service of a Swarm, and what became of its tasks. */
export type LiveService = {
  /** What its manager tells of how it is specified, in parts, each as a hash or, where nobody minds, as a value. */
  readonly mark: ServiceMark
  /** What the manager told right after this process changed it last; absent: this process did not. */
  readonly told?: ServiceMark
  /** What somebody changed besides, but for the number of tasks, in words; absent: nothing, or it is unknown. */
  readonly altered?: string
  /** What stands for the login of its registry that its nodes have; absent: they have none. */
  readonly login?: string
  /** How many tasks it is told to have. */
  readonly replicas: SwarmService['replicas']
  /** The tasks that should run, and those that do. */
  readonly wanted: number
  readonly running: number
  /** The nodes on which they run, in the order of their names. */
  readonly nodes?: readonly NodeOfTasks[]
  /** Why not all of them run, as far as the Swarm tells; or that some of them are of an earlier release, which it leaves. */
  readonly why?: string
  /** An update of it did not come to its end. */
  readonly update?: 'updating' | 'paused'
}

export type ServiceMark = Readonly<Record<string, string>>

/** A container that has the labels of this environment and source, or the operator's ingress. */
export type LiveContainer = {
  readonly id: string
  /** Its name on the engine, without a leading slash. If it was renamed, the name that its labels demand. */
  readonly engineName: string
  /** Its present name, if somebody renamed it. */
  readonly bears?: string
  readonly state: RunState
  readonly health: Health
  /** The engine's own words: `Up 5 minutes (healthy)`, `Exited (1) 3 seconds ago`. */
  readonly status: string
  /** The exit code of an `exited` container. */
  readonly exitCode?: number
  /** How often the engine started it again since somebody did, because it had ended; known once it was inspected. */
  readonly restarts?: number
  /** When it ends by itself, it has done what it is for (X5). */
  readonly mayEnd?: true
  /** It may end, and has: nobody starts it again. */
  readonly isDone?: true
  /** The last output of its health check; only known of an `unhealthy` one. */
  readonly checkOutput?: string
  /** When it was last started; only known of containers that share an instance with an `unhealthy` one. */
  readonly startedAtMs?: number
  /** The sandbox was restarted after it, so it is cut off from the network. */
  readonly isCutOff?: boolean
  /**
   * It is attached to its gate without the alias: its draining was begun and not ended, and no new requests reach it.
   */
  readonly isDraining?: boolean
  /** The metadata service does not know the pod, whose sandbox it is (C53). */
  readonly isUnregistered?: true
  /** The mark of the routes that it has loaded; of the ingress only. */
  readonly loaded?: string
  /** It belongs to the operator, and has only the label that makes it the ingress. */
  readonly isExternal?: true
  /** The networks to which it is attached. If it does not run, those that still exist. */
  readonly networks: readonly string[]
  /** Its limits and names on the engine; known once it was inspected. */
  readonly settings?: Settings
  /** It stands for a service of a Swarm. Absent: it is a container of a host. */
  readonly runs?: LiveService
  /** The digest of its image according to the engine, if the engine reports one. */
  readonly engineDigest?: string
  /** According to the engine, its image is not the one that its digest label names. */
  readonly isFromOtherImage?: true
  /** The engine's own id of its image. */
  readonly imageId?: string
  readonly application: string
  readonly service: string
  /** 1…n */
  readonly instance: number
  /** Its name within the instance. */
  readonly container: string
  readonly role: Role
  readonly version?: string
  /** The fingerprint of its whole instance. */
  readonly fingerprint: string
  readonly image: string
  /** The digest in the label; empty if the image had none (unverified). */
  readonly digest: string
  readonly commit: string
  /** What a journal counted before this was made; absent: an earlier version of Tallyman made it. */
  readonly record?: string
}
