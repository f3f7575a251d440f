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
 * A text, number or boolean, or a secret by its name.
 */
export type Value =
  | string
  | number
  | boolean
  | {
      /**
       * The name of the secret.
       */
      secret: string
    }
/**
 * A duration such as 90s, 1m30s or 500ms.
 */
export type Duration = string
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
   * The application's own network, or one that it shares.
   */
  network?: {
    /**
     * A network that all applications of the environment that name it share, in place of a network of its own.
     */
    'shared-application-network'?: string
  }
  /**
   * Applications of the same environment that must be healthy first, with a range of versions: {events-logger: ^0.1.0}.
   */
  requires?: {
    [k: string]: string
  }
  strategy?: Strategy
  /**
   * From which running versions this one may come, and how; the first entry that matches counts. In place of strategy.
   *
   * @minItems 1
   * @maxItems 256
   */
  'upgrade-from'?: [UpgradePath, ...UpgradePath[]]
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
   * @maxItems 64
   */
  containers: [Container, ...Container[]]
  /**
   * Run one after the other to their end, each time before an instance starts.
   *
   * @maxItems 64
   */
  'init-containers'?: Container[]
  /**
   * Whether the containers of an instance see each other's processes; true by default.
   */
  'share-pid-namespace'?: boolean
  /**
   * What ${NAME} in env stands for.
   *
   * @maxItems 1024
   */
  variables?: Variable[]
  network?: ServiceNetwork
  /**
   * Which host of a site runs it. A site is one host here, so that this has no effect.
   */
  placement?: {
    /**
     * An expression on the labels of hosts.
     */
    'match-host-labels'?: string
    /**
     * Services it would rather share a host with.
     */
    'preferred-affinity'?: {
      [k: string]: unknown
    }
    /**
     * Services it would rather not share a host with.
     */
    'preferred-anti-affinity'?: {
      [k: string]: unknown
    }
  }
  /**
   * What containers may mount, by name.
   *
   * @maxItems 256
   */
  volumes?: Volume[]
  strategy?: Strategy
  pallet?: Pallet
  /**
   * Which requests of users reach the service.
   *
   * @minItems 1
   * @maxItems 256
   */
  ingress?: [Route, ...Route[]]
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
        [k: string]: Value
      }
    | string[]
  /**
   * The same as env.
   */
  environment?:
    | {
        [k: string]: Value
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
   * What happens when the content of a mounted file changes.
   */
  'on-mounted-file-change'?: {
    /**
     * The instance is replaced, which is what always happens.
     */
    restart?: boolean
  }
  /**
   * How it is found out whether the container started, lives and is ready.
   */
  probes?: {
    startup?: Probe
    liveness?: Probe
    readiness?: Probe
  }
  /**
   * Has no effect here.
   */
  approle?: {
    [k: string]: unknown
  }
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
  /**
   * Sees the processes of the host; the operator's policy has to allow it.
   */
  pid?: 'host'
  /**
   * Sees the shared memory of the host; the operator's policy has to allow it.
   */
  ipc?: 'host'
}
/**
 * A whole volume at mount-path, or single files of a config-map or secret at paths of their own.
 */
export interface Mount {
  'volume-name': Name
  /**
   * An absolute path in the container.
   */
  'mount-path'?: string
  /**
   * Single files in place of the whole volume.
   *
   * @minItems 1
   * @maxItems 1024
   */
  files?: [MountedFile, ...MountedFile[]]
  'read-only'?: boolean
}
export interface MountedFile {
  /**
   * A file of the volume.
   */
  name: string
  /**
   * An absolute path in the container.
   */
  'mount-path': string
}
/**
 * Exactly one of http, tcp and command.
 */
export interface Probe {
  /**
   * Good when the status is 200 to 399.
   */
  http?: {
    /**
     * What is asked for; / by default.
     */
    path?: string
    /**
     * In the container.
     */
    port: number
    /**
     * http by default; the certificate is not checked.
     */
    scheme?: 'http' | 'https'
    /**
     * The Host header; localhost by default.
     */
    host?: string
  }
  /**
   * Good when the port accepts a connection.
   */
  tcp?: {
    /**
     * In the container.
     */
    port: number
  }
  /**
   * Good when it exits with 0; run in the container, without a shell.
   *
   * @minItems 1
   */
  command?: [string, ...string[]]
  period?: Duration
  timeout?: Duration
  /**
   * How many failures in a row count; 3 by default.
   */
  'failure-threshold'?: number
  /**
   * How many good ones in a row count; 1 by default.
   */
  'success-threshold'?: number
  'initial-delay'?: Duration
}
/**
 * Exactly one of value and value-from-vault-secret.
 */
export interface Variable {
  /**
   * What stands between ${ and } in env.
   */
  name: string
  /**
   * A text, number or boolean.
   */
  value?: string | number | boolean
  /**
   * The secret VAULT/SECRET/KEY.
   */
  'value-from-vault-secret'?: {
    /**
     * Its vault.
     */
    vault: string
    /**
     * Its name in the vault.
     */
    secret: string
    /**
     * Its key.
     */
    key: string
  }
}
/**
 * What the service reaches outside of its network, and what reaches it.
 */
export interface ServiceNetwork {
  /**
   * What is outside of the application's network is reached only if this says so.
   */
  'outbound-access'?: {
    /**
     * Everything is reached; false by default.
     */
    'allow-all'?: boolean
  }
  /**
   * Ports that are published on the host under their own numbers.
   */
  'ingress-ip-per-instance'?: {
    /**
     * Ports by protocol.
     *
     * @maxItems 16
     */
    protocols?:
      | []
      | [Ingress]
      | [Ingress, Ingress]
      | [Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress, Ingress]
      | [
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress
        ]
      | [
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress
        ]
      | [
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress
        ]
      | [
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress,
          Ingress
        ]
  }
  /**
   * The host's own network; the operator's policy has to allow it.
   */
  host?: boolean
}
export interface Ingress {
  /**
   * The protocol.
   */
  name: 'tcp' | 'udp' | 'sctp'
  /**
   * Ports and ranges, as "80,443,8000-8010".
   */
  'port-ranges': string | number
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
   * Files with the contents given here.
   */
  'config-map'?: {
    /**
     * The files.
     *
     * @maxItems 1024
     */
    items: ConfigFile[]
  }
  /**
   * Files, one for each key of a secret VAULT/SECRET.
   */
  'vault-secret'?: {
    /**
     * Its vault.
     */
    vault: string
    /**
     * Its name in the vault.
     */
    secret: string
  }
  /**
   * Files whose contents are secrets.
   */
  secret?: {
    /**
     * The files.
     *
     * @maxItems 1024
     */
    items: SecretFile[]
  }
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
export interface ConfigFile {
  /**
   * The name of the file: no directory.
   */
  name: string
  /**
   * Its content.
   */
  data: string
}
export interface SecretFile {
  /**
   * The name of the file: no directory.
   */
  name: string
  /**
   * The name of the secret it holds.
   */
  secret: string
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
    pre?: Hook
    mid?: Hook
    post?: Hook
  }
  /**
   * Old instances are stopped before new ones start.
   */
  recreate?: {
    timeoutSeconds?: Seconds
    pre?: Hook
    mid?: Hook
    post?: Hook
  }
  progressDeadlineSeconds?: Seconds
}
/**
 * What runs once per rollout, to its end, in a container of its own.
 */
export interface Hook {
  /**
   * Retry (the default): again until it succeeds or its time is over. Abort: the rollout fails. Ignore: the rollout goes on.
   */
  failurePolicy?: 'Retry' | 'Abort' | 'Ignore'
  /**
   * The container it runs in.
   */
  execNewPod: {
    /**
     * In place of the entrypoint.
     */
    command?: string[]
    /**
     * In place of the command.
     */
    args?: string[]
    /**
     * Environment on top of the container's, as a map or as a list of {name, value}.
     */
    env?:
      | {
          [k: string]: Value
        }
      | HookVariable[]
    /**
     * The container of the service whose image and settings it has.
     */
    containerName: string
    /**
     * Volumes of the service that it mounts, by name; none unless told.
     *
     * @maxItems 256
     */
    volumes?: string[]
  }
  timeoutSeconds?: Seconds
}
export interface HookVariable {
  /**
   * Its name.
   */
  name: string
  value: Value
}
/**
 * The first container follows the Pallet contract: it is run as deploy, then as serve.
 */
export interface Pallet {
  /**
   * As users reach it; the first of a list is the canonical one.
   *
   * @minItems 1
   * @maxItems 256
   */
  domain: string | [string, ...string[]]
  /**
   * As users reach it; http by default.
   */
  protocol?: 'http' | 'https'
  /**
   * What kind of environment it is told it runs in.
   */
  environment?: 'dev_local' | 'dev' | 'test' | 'uat' | 'staging' | 'prod'
  /**
   * Whose environment a dev_local is.
   */
  devname?: string
  /**
   * How many processes serve requests.
   */
  webConcurrency?: number
  /**
   * How many processes work in the background.
   */
  workerConcurrency?: number
  /**
   * Phases besides deploy and serve.
   */
  phases?: {
    /**
     * The test suite has to pass before a rollout begins.
     */
    test?: boolean
  }
  /**
   * Whether deploy runs for a version it succeeded for before; true by default.
   */
  redeployOnRollback?: boolean
  /**
   * What it is told of databases and other servers; where two set the same variable the later one counts.
   *
   * @maxItems 256
   */
  services?: PalletService[]
}
/**
 * Which keys it takes depends on its type.
 */
export interface PalletService {
  /**
   * What it is.
   */
  type: 'postgres' | 'elasticsearch' | 'memcache' | 'rabbitmq' | 'smtp' | 'proxy' | 'syslog'
  /**
   * Which database: DB_NAME_URL; default unless told.
   */
  name?: string
  url?: Value
  /**
   * Addresses.
   *
   * @minItems 1
   * @maxItems 256
   */
  urls?: [Value, ...Value[]]
  deployUrl?: Value
  host?: Value
  /**
   * Host names, with a port where it is not the usual one.
   *
   * @minItems 1
   * @maxItems 256
   */
  hosts?: [Value, ...Value[]]
  /**
   * The usual one unless told.
   */
  port?: number
  user?: Value
  password?: Value
  database?: Value
  index?: Value
  prefix?: Value
  /**
   * udp unless told.
   */
  protocol?: 'tcp' | 'udp'
}
/**
 * Requests for a host, and for a path and everything below it.
 */
export interface Route {
  /**
   * As users type it, or *.example.com; absent: every host that no other route names.
   */
  host?: string
  /**
   * / by default.
   */
  path?: string
  /**
   * Where the service listens.
   */
  port?: number
  /**
   * off: HTTP only, which is the default; auto: HTTPS with a certificate of the operator or of a public authority; internal: HTTPS with one of the ingress's own authority.
   */
  tls?: 'off' | 'auto' | 'internal'
  /**
   * An address that requests are sent on to. true: HTTP is sent on to HTTPS, which is the default with tls; false: HTTP is answered, too.
   */
  redirect?: string | boolean
  /**
   * Whether the service sees the path without that of the route; false by default.
   */
  strip?: boolean
  /**
   * Headers that are set, or removed where they are null.
   */
  headers?: {
    /**
     * Of what the service sees.
     */
    request?: {
      [k: string]: string | null
    }
    /**
     * Of what the user sees.
     */
    response?: {
      [k: string]: string | null
    }
  }
  maxBody?: Size
  timeout?: Duration
  hold?: Duration
}
export interface UpgradePath {
  /**
   * What the running version has to match, anywhere in it unless anchored: ^3\.0$.
   */
  'version-regexp': string
  /**
   * stop-and-restart: all old instances stop before a new one starts. per-service: as services says.
   */
  method: 'stop-and-restart' | 'per-service'
  /**
   * How each service is upgraded; those left out are stopped and restarted.
   *
   * @maxItems 256
   */
  services?: ServiceUpgrade[]
}
export interface ServiceUpgrade {
  name: Name
  /**
   * rolling by default.
   */
  method?: 'rolling' | 'stop-and-restart'
  /**
   * How many instances are replaced at a time; 1 by default.
   */
  'instances-in-parallel'?: number
  'healthy-time'?: Duration
}
