import type { Text } from '../../secret/secret.ts'
import type { ToldManifest } from '../metadata.ts'

/** How one container runs: everything that Tallyman sets on it, and nothing that the engine adds by itself (G2). */
export type Container = {
  /** Its name within the instance. */
  readonly name: string
  readonly image: Image
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, Text>>
  /** It has none of the variables of its image (C5). Absent: it has those that `env` does not set. */
  readonly imageEnv?: 'unset'
  /** Programs that run around the main one, in the same container. The main one is then known (C13). */
  readonly handlers?: Handlers
  /** On the sandbox of a pod whose apps can ask the metadata service (C53). */
  readonly metadata?: ToldManifest
  /**
   * By name or number, with a colon and its group if that is another one. A path in the place of either means the owner
   * of that file of the image, or its group.
   */
  readonly user?: string
  /** Further groups of its processes, by name or number. */
  readonly groupAdd?: readonly string[]
  readonly tty?: boolean
  readonly stdinOpen?: boolean
  readonly workingDir?: string
  /** What its image has to have, which is checked before anything is touched (C10, C11). */
  readonly needs?: {
    readonly account?: true
    readonly workingDir?: true
    /** Its main program, as it is named, and the paths of which one has to have it. */
    readonly program?: { readonly name: string; readonly paths: readonly string[] }
  }
  readonly hostname?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly ports?: readonly Port[]
  readonly mounts?: readonly Mount[]
  /** Files that are written before the container starts, into its own file system or into a mount (G15). */
  readonly files?: readonly File[]
  readonly healthcheck?: Healthcheck
  /** Its health check is its liveness probe: the container is restarted once it is unhealthy (A44). */
  readonly liveness?: 'command'
  readonly restart: RestartPolicy
  /** When it ends, it has done what it is for, and stays as it is unless its restart policy says otherwise (X5). */
  readonly mayEnd?: true
  readonly stopSignal?: string
  /** How long the container may take to stop before it is killed. */
  readonly stopGraceMs: number
  readonly init?: boolean
  readonly readOnly?: boolean
  readonly privileged?: boolean
  /** It sees the host's own processes, or its shared memory. */
  readonly pid?: 'host'
  readonly ipc?: 'host'
  readonly capAdd?: readonly string[]
  readonly capDrop?: readonly string[]
  readonly securityOpt?: readonly string[]
  /** Absent: those that the engine permits by itself. */
  readonly systemCalls?: SystemCallFilter
  readonly devices?: readonly Device[]
  readonly sysctls?: Readonly<Record<string, string>>
  readonly ulimits?: readonly Ulimit[]
  readonly extraHosts?: readonly string[]
  readonly dns?: readonly string[]
  /** Domains in which short names are looked up; `.` alone: in none. */
  readonly dnsSearch?: readonly string[]
  /** Options as in resolv.conf: `ndots:1`. */
  readonly dnsOptions?: readonly string[]
  readonly shmSizeBytes?: number
  readonly memoryBytes?: number
  /** The memory to which it is reduced when the host is short of memory. */
  readonly memoryReservationBytes?: number
  /** Memory and swap together; -1: no limit of swap. */
  readonly memorySwapBytes?: number
  /** Billionths of a CPU: 1.5 CPUs are 1_500_000_000. */
  readonly nanoCpus?: number
  /** The CPUs that it may use: `0-3,5`. */
  readonly cpuset?: string
  /** Its weight compared with other containers when CPUs are short. The default is 1024. */
  readonly cpuShares?: number
  readonly pidsLimit?: number
  /** From -1000, which the kernel ends last when memory is short, to 1000. */
  readonly oomScoreAdj?: number
  /** Without a driver: the engine's own choice. */
  readonly logging?: { readonly driver?: string; readonly options: Readonly<Record<string, string>> }
}

export type Handlers = {
  /** Has to end with 0 before the main program starts. */
  readonly preStart?: readonly string[]
  /** Runs after the main program has ended, however it did. */
  readonly postStop?: readonly string[]
}

/** The image of a container: as declared, and as pinned before the diff. */
export type Image = {
  /** With registry and tag: `registry.example.com/team/web:1.2`. Docker Hub is spelled `docker.io/library/…`. */
  readonly reference: string
  /** The one platform that is meant, in its one spelling: `linux/arm64`. Absent: the engine's own. */
  readonly platform?: string
  /** The digest that the manifest demands (`dockerDigest`), of an index or a platform (D5). */
  readonly expectedDigest?: string
  /**
   * The section of the configuration that names it. Absent: the repository does. Once the tag of a configured image is
   * resolved, no commit changes it (G3).
   */
  readonly configuredIn?: 'ingress' | 'metadata' | 'sandbox'
  readonly pin: Pin
}

/**
 * - `pinned`: this digest will run. It is verified against the registry or the manifest.
 * - `unverified`: only the engine knows the image, and it has no repository digest (E26).
 * - `unknown`: no registry answered, so it counts neither as equal nor as changed (D5).
 */
export type Pin =
  | { readonly state: 'pinned'; readonly digest: string }
  | { readonly state: 'unverified'; readonly imageId: string }
  | { readonly state: 'unknown'; readonly reason: string }

export type Port = {
  /** The port in the container. */
  readonly target: number
  /** The port on the host; absent: the engine chooses. */
  readonly published?: number
  readonly hostIp?: string
  readonly protocol: 'tcp' | 'udp' | 'sctp'
}

export type Mount =
  | {
      readonly kind: 'volume'
      readonly volume: string
      readonly path: string
      readonly readOnly?: boolean
      readonly exclusive: boolean
      /** How a node of a Swarm makes it; absent: as the node does by itself, or on a host. */
      readonly made?: { readonly driver: string; readonly options?: Readonly<Record<string, string>> }
    }
  /** Lives as long as its instance. All containers of an instance that give it the same name share it. */
  | {
      readonly kind: 'ephemeral'
      readonly path: string
      readonly name?: string
      readonly readOnly?: boolean
      /** Permission bits and owner of its directory. Absent: everybody may write there. */
      readonly root?: { readonly mode: number; readonly uid: number; readonly gid: number }
    }
  /** A directory for files that are written before the start. */
  | { readonly kind: 'files'; readonly path: string }
  | ({ readonly kind: 'tmpfs'; readonly path: string } & TmpfsOptions)
  | {
      readonly kind: 'host'
      readonly source: string
      readonly path: string
      readonly readOnly?: boolean
      /** Absent: what is mounted below it on the host is mounted, too. */
      readonly recursive?: false
      /** The directory that the operator allows. No symlink may lead the source out of it (G23). */
      readonly within?: string
    }

/**
 * How an in-memory file system is mounted. Absent fields have the kernel's defaults, and programs in it cannot be run.
 */
export type TmpfsOptions = {
  readonly sizeBytes?: number
  /** Permission bits. */
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
  /** Programs in it can be run. */
  readonly exec?: true
}

export type File = {
  /** The absolute path in the container. */
  readonly path: string
  readonly content: Text
  /** Permission bits. */
  readonly mode: number
  /** The owner. Absent: root, or the user of the container if not everybody may read the file. */
  readonly uid?: number
  readonly gid?: number
}

/** Durations are in milliseconds. Absent fields have the engine's defaults. */
export type Healthcheck =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'command'
      /** In the form of the Engine API: `['CMD', …]` or `['CMD-SHELL', line]`; absent: the image's own command. */
      readonly test?: readonly string[]
      readonly intervalMs?: number
      readonly timeoutMs?: number
      readonly startPeriodMs?: number
      /** Replaces `intervalMs` during the start period. Older engines do not know it. */
      readonly startIntervalMs?: number
      readonly retries?: number
    }

export type RestartPolicy = {
  readonly name: 'no' | 'always' | 'unless-stopped' | 'on-failure'
  readonly maxRetries?: number
}

export type Device = { readonly host: string; readonly container: string; readonly permissions: string }

export type Ulimit = { readonly name: string; readonly soft: number; readonly hard: number }

/** Which system calls a container may make (C40). */
export type SystemCallFilter = {
  /** `retain`: these and those that it takes to start a program. `remove`: the usual ones without these. */
  readonly mode: 'retain' | 'remove'
  /** Sorted, and each once. */
  readonly calls: readonly string[]
  /** The number of the error that other calls end with; absent: they end the program. */
  readonly errno?: number
}
