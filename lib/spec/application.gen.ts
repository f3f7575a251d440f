/** Generated from schemas/application.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * Lower-case letters, digits and dashes.
 */
export type Name = string
/**
 * A list of words, or a line that is split as a shell quotes.
 */
export type Command = string | string[]
/**
 * Compose's short syntax (8080:80, 127.0.0.1:8080:80/udp) or its long one.
 */
export type Port =
  | string
  | number
  | {
      /**
       * In the container.
       */
      target: number
      /**
       * On the host; absent: the engine chooses.
       */
      published?: number | string
      host_ip?: string
      protocol?: 'tcp' | 'udp' | 'sctp'
    }
/**
 * A duration such as 90s, 1m30s or 500ms.
 */
export type Duration = string
/**
 * A size such as 512k, 64m or 1.5g, or a number of bytes.
 */
export type Size = string | number
/**
 * One number, or a soft and a hard one; -1 is no limit.
 */
export type Ulimit =
  | number
  | {
      soft: number
      hard: number
    }
/**
 * A number of instances, or a percentage of them as 25%.
 */
export type Share = string | number
/**
 * Seconds, at least 1.
 */
export type Seconds = number

/**
 * applications/NAME.yaml: how an application runs on one site.
 */
export interface ApplicationSpecification {
  name: Name
  /**
   * In quotes: "1.0". Any letters, digits, dots, dashes and plus signs; it is shown, and checked by ranges in requires.
   */
  version?: string
  /**
   * What the application consists of.
   *
   * @minItems 1
   * @maxItems 256
   */
  services: [Service, ...Service[]]
  /**
   * Applications of the same environment that must be healthy first, with a range of versions: {events-logger: ^0.1.0}.
   */
  requires?: {
    [k: string]: string
  }
  strategy?: Strategy
}
/**
 * Instances that do one thing.
 */
export interface Service {
  name: Name
  /**
   * How instances are counted.
   */
  mode?: 'replicated'
  /**
   * How many equal instances run; 1 by default.
   */
  replicas?: number
  /**
   * What one instance consists of.
   *
   * @minItems 1
   * @maxItems 1
   */
  containers: [Container]
  /**
   * What containers may mount, by name.
   *
   * @maxItems 256
   */
  volumes?: Volume[]
  strategy?: Strategy
}
/**
 * What runs in one container, in Compose's names and value grammar.
 */
export interface Container {
  name: Name
  /**
   * With or without registry; without tag or digest it is latest.
   */
  image: string
  cmd?: Command
  command?: Command
  entrypoint?: Command
  /**
   * Environment, as a map or as a list of NAME=VALUE.
   */
  env?:
    | {
        [k: string]: string | number | boolean
      }
    | string[]
  /**
   * The same as env.
   */
  environment?:
    | {
        [k: string]: string | number | boolean
      }
    | string[]
  /**
   * Name or number, with an optional group: 1000:1000.
   */
  user?: string | number
  /**
   * Where the service's volumes appear in the container.
   *
   * @maxItems 256
   */
  mounts?: Mount[]
  /**
   * What is published on the host.
   *
   * @maxItems 256
   */
  ports?: Port[]
  /**
   * How the engine finds out whether the container is healthy; what is left out comes from the image.
   */
  healthcheck?: {
    /**
     * A command line for the container's shell, or a list that begins with NONE, CMD or CMD-SHELL.
     */
    test?: string | string[]
    interval?: Duration
    timeout?: Duration
    start_period?: Duration
    retries?: number
    disable?: boolean
  }
  /**
   * no, always, unless-stopped (the default) or on-failure[:5].
   */
  restart?: string
  working_dir?: string
  hostname?: string
  /**
   * Labels of your own; those that begin with tallyman. are not yours.
   */
  labels?:
    | {
        [k: string]: string | number | boolean
      }
    | string[]
  /**
   * Linux capabilities to add; the operator's policy has to allow them.
   *
   * @maxItems 256
   */
  cap_add?: string[]
  /**
   * Linux capabilities to drop, or ALL.
   *
   * @maxItems 256
   */
  cap_drop?: string[]
  /**
   * The container's own file system cannot be written to.
   */
  read_only?: boolean
  /**
   * A tiny init reaps children and hands on signals.
   */
  init?: boolean
  /**
   * SIGTERM by default.
   */
  stop_signal?: string | number
  /**
   * How long the container may take to stop before it is killed; 10s by default.
   */
  stop_grace_period?: string
  mem_limit?: Size
  /**
   * How many CPUs it may use: 0.5.
   */
  cpus?: string | number
  /**
   * How many processes it may have; -1 is no limit.
   */
  pids_limit?: number
  ulimits?: {
    core?: Ulimit
    cpu?: Ulimit
    data?: Ulimit
    fsize?: Ulimit
    locks?: Ulimit
    memlock?: Ulimit
    msgqueue?: Ulimit
    nice?: Ulimit
    nofile?: Ulimit
    nproc?: Ulimit
    rss?: Ulimit
    rtprio?: Ulimit
    rttime?: Ulimit
    sigpending?: Ulimit
    stack?: Ulimit
  }
  /**
   * Entries of the hosts file: db:10.0.0.5.
   */
  extra_hosts?:
    | string[]
    | {
        [k: string]: string
      }
  /**
   * Name servers, in order.
   */
  dns?: string | string[]
  logging?: {
    /**
     * The engine's log driver.
     */
    driver: string
    /**
     * What the driver is told.
     */
    options?: {
      [k: string]: string | number | boolean
    }
  }
  shm_size?: Size
  /**
   * Kernel parameters of the container's own namespaces, as a map or as a list of NAME=VALUE.
   */
  sysctls?:
    | {
        [k: string]: string | number
      }
    | string[]
  /**
   * In-memory directories: /run or /run:size=64m,mode=1770.
   */
  tmpfs?: string | string[]
  /**
   * no-new-privileges:true; anything else has to be allowed by the operator's policy.
   *
   * @maxItems 256
   */
  security_opt?: string[]
  /**
   * Devices of the host, as /dev/ttyUSB0:/dev/ttyUSB0:rw; the operator's policy has to allow them.
   *
   * @maxItems 256
   */
  devices?: string[]
  /**
   * Root on the host; the operator's policy has to allow it.
   */
  privileged?: boolean
}
export interface Mount {
  'volume-name': Name
  /**
   * An absolute path in the container.
   */
  'mount-path': string
  'read-only'?: boolean
}
/**
 * Exactly one kind of volume.
 */
export interface Volume {
  name: Name
  /**
   * Outlives instances, versions and the application itself.
   */
  'persistent-volume'?: {
    /**
     * The engine's volume driver; local by default.
     */
    driver?: string
    /**
     * What the driver is told.
     */
    driver_opts?: {
      [k: string]: string | number | boolean
    }
  } | null
  /**
   * Lives and dies with the instance. Docker does not enforce the size.
   */
  'ephemeral-volume'?: {
    size?: Size
  } | null
  /**
   * In memory.
   */
  tmpfs?: {
    size?: Size
    /**
     * Permission bits in octal, in quotes: "1777".
     */
    mode?: string
  } | null
  /**
   * A directory of the host; the operator's policy has to allow it.
   */
  host?: {
    /**
     * An absolute path on the host.
     */
    path: string
    'read-only'?: boolean
  }
}
/**
 * How instances are replaced. A service's own strategy takes the place of the application's, whole.
 */
export interface Strategy {
  /**
   * RollingUpdate: new before old. Recreate: old before new. Absent: rolling unless something is exclusive.
   */
  type?: 'RollingUpdate' | 'Recreate'
  /**
   * How new instances take the place of old ones; maxSurge and maxUnavailable are 25% by default and not both zero.
   */
  rollingUpdate?: {
    maxSurge?: Share
    maxUnavailable?: Share
    healthyTime?: Duration
    timeoutSeconds?: Seconds
  }
  /**
   * How long the new instances may take after the old ones stopped.
   */
  recreate?: {
    timeoutSeconds?: Seconds
  }
}
