/** Generated from schemas/application.schema.json by schemas/generate.ts; edit that schema instead. */

/**
 * Lower-case letters, digits and dashes.
 */
export type Name = string
/**
 * A command: a list of words, or a line that is split into words as a shell would do it.
 *
 * @maxItems 1024
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
 * A published port, in the short syntax of Compose (8080:80, 127.0.0.1:8080:80/udp) or its long one.
 */
export type Port =
  | string
  | number
  | {
      /**
       * The port in the container.
       */
      target: number
      /**
       * The port on the host. If absent, the engine chooses one.
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
 * A limit: one number, or a soft and a hard one. -1 stands for no limit.
 */
export type Ulimit =
  | number
  | {
      soft: number
      hard: number
    }
/**
 * A number of instances, or a percentage of them such as 25%.
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
  /**
   * Where editors find the schema of this file. Tallyman ignores it.
   */
  $schema?: string
  name: Name
  /**
   * The version that is shown, and that ranges under requires are checked against: letters, digits, dots, dashes and plus signs, at most 128, and not only dots.
   */
  version?: string | number
  /**
   * The services of the application.
   *
   * @minItems 1
   * @maxItems 256
   */
  services: [Service, ...Service[]]
  /**
   * The network of the application: its own, or a shared one.
   */
  network?: {
    /**
     * The name of a network that is used in place of the application's own. All applications of the environment that give this name share the network.
     */
    'shared-application-network'?: string
  }
  /**
   * Applications of the same environment that must be healthy before this one is deployed, each with a range of versions: {events-logger: ^0.1.0}.
   */
  requires?: {
    [k: string]: string | number
  }
  strategy?: Strategy
  /**
   * Which running versions can be upgraded to this one, and how. The first entry that matches counts, and replaces strategy.
   *
   * @minItems 1
   * @maxItems 256
   */
  'upgrade-from'?: [UpgradePath, ...UpgradePath[]]
}
/**
 * A service: one or more equal instances that do one thing.
 */
export interface Service {
  name: Name
  /**
   * How many instances run: as many as "replicas" says, or one on each node of a Swarm, which is one on a host.
   */
  mode?: 'replicated' | 'global'
  /**
   * The number of equal instances; 1 by default.
   */
  replicas?: number
  /**
   * The containers of each instance.
   *
   * @minItems 1
   * @maxItems 64
   */
  containers: [Container, ...Container[]]
  /**
   * Containers that run to completion, one after the other, each time before an instance starts.
   *
   * @maxItems 64
   */
  'init-containers'?: Container[]
  /**
   * Whether the containers of an instance see each other's processes; true by default.
   */
  'share-pid-namespace'?: boolean
  /**
   * The values that ${NAME} stands for in the texts of the service.
   *
   * @maxItems 1024
   */
  variables?: Variable[]
  network?: ServiceNetwork
  /**
   * Which nodes of a Swarm run the service. On a host this has no effect.
   */
  placement?: {
    /**
     * An expression on the labels of nodes: "disk = ssd and not zone = b".
     */
    'match-host-labels'?: string
    /**
     * Labels of nodes: the tasks are spread over the values of the first, there over those of the next, and so on.
     *
     * @minItems 1
     * @maxItems 16
     */
    'spread-over'?:
      | [string]
      | [string, string]
      | [string, string, string]
      | [string, string, string, string]
      | [string, string, string, string, string]
      | [string, string, string, string, string, string]
      | [string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string, string, string]
      | [string, string, string, string, string, string, string, string, string, string, string, string, string, string]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string
        ]
      | [
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string,
          string
        ]
    /**
     * Services that should preferably run on the same host.
     */
    'preferred-affinity'?: {
      [k: string]: unknown
    }
    /**
     * Services that should preferably run on other hosts.
     */
    'preferred-anti-affinity'?: {
      [k: string]: unknown
    }
  }
  /**
   * The volumes that containers of the service can mount, by name.
   *
   * @maxItems 256
   */
  volumes?: Volume[]
  strategy?: Strategy
  pallet?: Pallet
  /**
   * The requests of users that reach the service.
   *
   * @minItems 1
   * @maxItems 256
   */
  ingress?: [Route, ...Route[]]
}
/**
 * A container. Keys and values are those of Compose.
 */
export interface Container {
  name: Name
  /**
   * The image, with or without a registry. Without a tag or digest, the tag is latest.
   */
  image: string
  /**
   * The platform of the image, such as linux/arm64. If absent, it is the platform of the engine.
   */
  platform?: string
  cmd?: Command
  command?: Command
  entrypoint?: Command
  /**
   * Environment variables, as a map or as a list of NAME=VALUE.
   *
   * @maxItems 1024
   */
  env?:
    | {
        [k: string]: Value
      }
    | string[]
  /**
   * Another name for env.
   *
   * @maxItems 1024
   */
  environment?:
    | {
        [k: string]: Value
      }
    | string[]
  /**
   * The user that the container runs as: a name or number, with an optional group, such as 1000:1000.
   */
  user?: string | number
  /**
   * Additional groups of the container's processes, by name or number.
   *
   * @maxItems 256
   */
  group_add?: (string | number)[]
  /**
   * Whether the container gets a terminal for its output.
   */
  tty?: boolean
  /**
   * Whether the standard input stays open, although nobody writes to it.
   */
  stdin_open?: boolean
  /**
   * The volumes of the service that the container mounts, and where.
   *
   * @maxItems 256
   */
  mounts?: Mount[]
  /**
   * What happens when the content of a mounted file changes.
   */
  'on-mounted-file-change'?: {
    /**
     * The instance is replaced. This is always the case.
     */
    restart?: boolean
  }
  /**
   * The probes that check whether the container has started, is alive and is ready.
   */
  probes?: {
    startup?: Probe
    liveness?: Probe
    readiness?: Probe
  }
  /**
   * This has no effect.
   */
  approle?: {
    [k: string]: unknown
  }
  /**
   * The ports that are published on the host.
   *
   * @maxItems 256
   */
  ports?: Port[]
  /**
   * How the engine checks whether the container is healthy. Settings that are left out come from the image.
   */
  healthcheck?: {
    /**
     * A command line for the container's shell, or a list that begins with NONE, CMD or CMD-SHELL.
     *
     * @maxItems 1024
     */
    test?: string | string[]
    interval?: Duration
    timeout?: Duration
    start_period?: Duration
    /**
     * The time between two checks during start_period. It needs engine 25 or newer.
     */
    start_interval?: string
    retries?: number
    disable?: boolean
  }
  /**
   * The restart policy: no, always, unless-stopped (the default) or on-failure[:5].
   */
  restart?: string
  working_dir?: string
  hostname?: string
  /**
   * Labels of the container. Labels that begin with tallyman. are reserved. The value of a label without one is empty.
   *
   * @maxItems 256
   */
  labels?:
    | {
        [k: string]: string | number | boolean | null
      }
    | string[]
  /**
   * Linux capabilities to add. The operator's policy has to allow them.
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
   * Whether the container's own file system is read-only.
   */
  read_only?: boolean
  /**
   * Whether a small init process reaps child processes and forwards signals.
   */
  init?: boolean
  /**
   * The signal that stops the container; SIGTERM by default.
   */
  stop_signal?: string | number
  /**
   * How long the container may take to stop before it is killed; 10s by default.
   */
  stop_grace_period?: string
  mem_limit?: Size
  mem_reservation?: Size
  /**
   * The limit of memory and swap together, which is at least mem_limit. -1 stands for no limit of swap.
   */
  memswap_limit?: string | number
  /**
   * How many CPUs the container may use, such as 0.5.
   */
  cpus?: string | number
  /**
   * Which CPUs the container may use, such as 0-3 or 0,2.
   */
  cpuset?: string | number
  /**
   * The container's share of CPU time when CPUs are busy. Other containers have 1024 by default.
   */
  cpu_shares?: number
  /**
   * How many processes the container may have. -1 stands for no limit.
   */
  pids_limit?: number
  /**
   * How soon the kernel kills the container when memory is short, up to 1000 for first. Values below 0 protect the container; the operator's policy has to allow them.
   */
  oom_score_adj?: number
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
   * Entries of the hosts file, such as db:10.0.0.5.
   *
   * @maxItems 256
   */
  extra_hosts?:
    | string[]
    | {
        [k: string]: string
      }
  /**
   * The name servers, in order.
   *
   * @maxItems 256
   */
  dns?: string | string[]
  /**
   * The domains in which short names are looked up, in order. A dot stands for none.
   *
   * @maxItems 256
   */
  dns_search?: string | string[]
  /**
   * Options of resolv.conf, such as ndots:1.
   *
   * @maxItems 256
   */
  dns_opt?: string[]
  logging?: {
    /**
     * The log driver. If absent, it is the default of the engine.
     */
    driver?: string
    /**
     * The options of the driver.
     */
    options?: {
      [k: string]: string | number | boolean
    }
  }
  shm_size?: Size
  /**
   * Kernel parameters of the container's own namespaces, as a map or as a list of NAME=VALUE.
   *
   * @maxItems 256
   */
  sysctls?:
    | {
        [k: string]: string | number
      }
    | string[]
  /**
   * Directories in memory, such as /run or /run:size=64m,mode=1770,uid=1000,gid=1000,exec.
   *
   * @maxItems 256
   */
  tmpfs?: string | string[]
  /**
   * Security options, such as no-new-privileges:true. The operator's policy has to allow any other option.
   *
   * @maxItems 256
   */
  security_opt?: string[]
  /**
   * Devices of the host, such as /dev/ttyUSB0:/dev/ttyUSB0:rw. The operator's policy has to allow them.
   *
   * @maxItems 256
   */
  devices?: string[]
  /**
   * Whether the container is privileged, which makes it root on the host. The operator's policy has to allow it.
   */
  privileged?: boolean
  /**
   * host: the container sees the processes of the host. The operator's policy has to allow it.
   */
  pid?: 'host'
  /**
   * host: the container sees the shared memory of the host. The operator's policy has to allow it.
   */
  ipc?: 'host'
}
/**
 * A mount: a whole volume at mount-path, or single files of a config-map or secret, each at its own path.
 */
export interface Mount {
  'volume-name': Name
  /**
   * An absolute path in the container.
   */
  'mount-path'?: string
  /**
   * Single files of the volume to mount, in place of the whole volume.
   *
   * @minItems 1
   * @maxItems 1024
   */
  files?: [MountedFile, ...MountedFile[]]
  'read-only'?: boolean
  /**
   * Permission bits in octal, such as 0440. The default is 0400 for files of secrets, and 0444 for other files.
   */
  mode?: string | number
  /**
   * The number of the user who owns the file. The default is root if everybody may read the file, and the user of the container if not.
   */
  uid?: string | number
  /**
   * The number of the group that owns it.
   */
  gid?: string | number
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
  /**
   * Permission bits in octal, such as 0440. The default is 0400 for files of secrets, and 0444 for other files.
   */
  mode?: string | number
  /**
   * The number of the user who owns the file. The default is root if everybody may read the file, and the user of the container if not.
   */
  uid?: string | number
  /**
   * The number of the group that owns it.
   */
  gid?: string | number
}
/**
 * A probe, with exactly one of http, tcp and command.
 */
export interface Probe {
  /**
   * An HTTP request, which succeeds if the status is 200 to 399.
   */
  http?: {
    /**
     * The path of the request; / by default.
     */
    path?: string
    /**
     * The port in the container.
     */
    port: number
    /**
     * The scheme; http by default. The certificate of https is not checked.
     */
    scheme?: 'http' | 'https'
    /**
     * The Host header; localhost by default.
     */
    host?: string
  }
  /**
   * A TCP connection, which succeeds if the port accepts it.
   */
  tcp?: {
    /**
     * The port in the container.
     */
    port: number
  }
  /**
   * A command that runs in the container, without a shell. It succeeds if it exits with 0.
   *
   * @minItems 1
   * @maxItems 1024
   */
  command?: [string, ...string[]]
  period?: Duration
  timeout?: Duration
  /**
   * How many failures in a row make the probe fail; 3 by default.
   */
  'failure-threshold'?: number
  /**
   * How many successes in a row make the probe succeed; 1 by default.
   */
  'success-threshold'?: number
  'initial-delay'?: Duration
}
/**
 * A parameter, with exactly one of value and value-from-vault-secret. A value may be that of a label of the site.
 */
export interface Variable {
  /**
   * The name that stands between ${ and }.
   */
  name: string
  /**
   * A text, number or boolean.
   */
  value?: string | number | boolean
  /**
   * The label of the site whose value it has there. The value is for sites without this label.
   */
  'value-from-site-label'?: string
  /**
   * The secret VAULT/SECRET/KEY.
   */
  'value-from-vault-secret'?: {
    /**
     * The vault that holds the secret.
     */
    vault: string
    /**
     * The name of the secret in the vault.
     */
    secret: string
    /**
     * The key in the secret.
     */
    key: string
  }
}
/**
 * The connections between the service and the world outside its network.
 */
export interface ServiceNetwork {
  /**
   * Connections to the outside. The service reaches nothing outside the application's network unless this allows it.
   */
  'outbound-access'?: {
    /**
     * Whether the service can connect to everything outside; false by default.
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
   * Whether the service uses the network of the host. The operator's policy has to allow it.
   */
  host?: boolean
  /**
   * Additional names of the service on its network.
   *
   * @maxItems 64
   */
  aliases?: string[]
}
export interface Ingress {
  /**
   * The protocol.
   */
  name: 'tcp' | 'udp' | 'sctp'
  /**
   * Ports and ranges of ports, such as "80,443,8000-8010".
   */
  'port-ranges': string | number
}
/**
 * A volume of exactly one kind.
 */
export interface Volume {
  name: Name
  /**
   * A volume that outlives instances, versions and the application itself.
   */
  'persistent-volume'?: {
    /**
     * The volume driver of the engine; local by default.
     */
    driver?: string
    /**
     * The options of the driver.
     */
    driver_opts?: {
      [k: string]: string | number | boolean
    }
  } | null
  /**
   * A volume that is removed with the instance. Docker does not enforce the size.
   */
  'ephemeral-volume'?: {
    size?: Size
  } | null
  /**
   * A volume in memory.
   */
  tmpfs?: {
    size?: Size
    /**
     * Permission bits in octal, such as 1777.
     */
    mode?: string | number
    /**
     * The number of the user who owns it; root by default.
     */
    uid?: string | number
    /**
     * The number of the group that owns it.
     */
    gid?: string | number
    /**
     * Whether programs in the volume can be executed; false by default.
     */
    exec?: boolean
  } | null
  /**
   * Files whose contents are given here.
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
   * Files with the values of a secret, one for each key of VAULT/SECRET.
   */
  'vault-secret'?: {
    /**
     * The vault that holds the secret.
     */
    vault: string
    /**
     * The name of the secret in the vault.
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
   * A directory or a single file of the host. The operator's policy has to allow it.
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
   * The name of the file, without a directory.
   */
  name: string
  /**
   * The content of the file.
   */
  data: string
}
export interface SecretFile {
  /**
   * The name of the file, without a directory.
   */
  name: string
  /**
   * The name of the secret that the file holds.
   */
  secret: string
}
/**
 * How instances are replaced. The strategy of a service replaces that of the application as a whole.
 */
export interface Strategy {
  /**
   * RollingUpdate: new instances start before old ones stop. Recreate: old instances stop before new ones start. If absent: RollingUpdate, unless old and new instances cannot run side by side.
   */
  type?: 'RollingUpdate' | 'Recreate'
  /**
   * How new instances replace old ones. maxSurge and maxUnavailable are 25% by default, and cannot both be zero.
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
 * A job that runs to completion once per rollout, in its own container.
 */
export interface Hook {
  /**
   * What happens when the job fails. Retry (the default): it runs again until it succeeds or its time is over. Abort: the rollout fails. Ignore: the rollout goes on.
   */
  failurePolicy?: 'Retry' | 'Abort' | 'Ignore'
  /**
   * The container that the job runs in.
   */
  execNewPod: {
    /**
     * The command that replaces the entrypoint.
     *
     * @maxItems 1024
     */
    command?: string[]
    /**
     * The arguments that replace the command.
     *
     * @maxItems 1024
     */
    args?: string[]
    /**
     * Environment variables in addition to those of the container, as a map or as a list of {name, value}.
     *
     * @maxItems 1024
     */
    env?:
      | {
          [k: string]: Value
        }
      | HookVariable[]
    /**
     * The container of the service whose image and settings the job uses.
     */
    containerName: string
    /**
     * The volumes of the service that the job mounts, by name; none by default.
     *
     * @maxItems 256
     */
    volumes?: string[]
  }
  timeoutSeconds?: Seconds
}
export interface HookVariable {
  /**
   * The name of the environment variable.
   */
  name: string
  value: Value
}
/**
 * The settings of a Pallet application. Its first container follows the Pallet contract: it runs as deploy, then as serve.
 */
export interface Pallet {
  /**
   * The host name under which users reach the application. The first one of a list is the canonical one.
   *
   * @minItems 1
   * @maxItems 256
   */
  domain: string | [string, ...string[]]
  /**
   * The scheme with which users reach the application; http by default.
   */
  protocol?: 'http' | 'https'
  /**
   * The kind of environment that the application is told it runs in.
   */
  environment?: 'dev_local' | 'dev' | 'test' | 'uat' | 'staging' | 'prod'
  /**
   * The owner of a dev_local environment.
   */
  devname?: string
  /**
   * How many processes serve requests.
   */
  webConcurrency?: number
  /**
   * How many processes do background work.
   */
  workerConcurrency?: number
  /**
   * Phases in addition to deploy and serve.
   */
  phases?: {
    /**
     * Whether the test suite has to pass before a rollout begins.
     */
    test?: boolean
  }
  /**
   * Whether deploy runs again for a version for which it has succeeded before; true by default.
   */
  redeployOnRollback?: boolean
  /**
   * Databases and other servers that the application is told about. If two of them set the same variable, the later one counts.
   *
   * @maxItems 256
   */
  services?: PalletService[]
}
/**
 * A service that the application is told about. Its keys depend on its type.
 */
export interface PalletService {
  /**
   * The type of the service.
   */
  type: 'postgres' | 'elasticsearch' | 'memcache' | 'rabbitmq' | 'smtp' | 'proxy' | 'syslog'
  /**
   * The NAME in the variable DB_NAME_URL; default if absent.
   */
  name?: string
  url?: Value
  /**
   * The addresses of the service.
   *
   * @minItems 1
   * @maxItems 256
   */
  urls?: [Value, ...Value[]]
  deployUrl?: Value
  host?: Value
  /**
   * Host names, each with a port if it is not the usual one.
   *
   * @minItems 1
   * @maxItems 256
   */
  hosts?: [Value, ...Value[]]
  /**
   * The port; the usual one by default.
   */
  port?: number
  user?: Value
  password?: Value
  database?: Value
  index?: Value
  prefix?: Value
  /**
   * The protocol; udp by default.
   */
  protocol?: 'tcp' | 'udp'
}
/**
 * A route: requests for a host, and for a path and everything below it.
 */
export interface Route {
  /**
   * The host as users type it, or a wildcard such as *.example.com. If absent, the route is for every host that no other route names.
   */
  host?: string
  /**
   * The path; / by default.
   */
  path?: string
  /**
   * The port on which the service listens.
   */
  port?: number
  /**
   * off (the default): HTTP only. auto: HTTPS with a certificate of the operator or of a public authority. internal: HTTPS with a certificate of the ingress's own authority.
   */
  tls?: 'off' | 'auto' | 'internal'
  /**
   * An address that requests are redirected to. true (the default with tls): HTTP is redirected to HTTPS. false: HTTP is answered as well.
   */
  redirect?: string | boolean
  /**
   * Whether the path of the route is removed before the service sees the request; false by default.
   */
  strip?: boolean
  /**
   * Headers to set, or to remove if the value is null.
   */
  headers?: {
    /**
     * Headers of the request that the service receives.
     */
    request?: {
      [k: string]: string | null
    }
    /**
     * Headers of the response that the user receives.
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
   * A regular expression that the running version has to match. It matches anywhere in the version unless it is anchored, as in ^3\.0$.
   */
  'version-regexp': string
  /**
   * stop-and-restart: all old instances stop before a new one starts. per-service: each service is upgraded as listed under services.
   */
  method: 'stop-and-restart' | 'per-service'
  /**
   * How each service is upgraded. Services that are left out are stopped and restarted.
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
   * How many instances are replaced at the same time; 1 by default.
   */
  'instances-in-parallel'?: number
  'healthy-time'?: Duration
}
