import type { Image } from './image/images.ts'
import type { HealthcheckConfig } from './image/registry.ts'
import { mountpointOf } from './volumes.ts'

/** The body of the call that creates a container. */
export type CreateBody = Partial<Config> & {
  readonly HostConfig?: Partial<HostConfig>
  readonly NetworkingConfig?: {
    readonly EndpointsConfig?: Readonly<Record<string, EndpointBody | null>> | null
  } | null
}

export type EndpointBody = {
  readonly Aliases?: readonly string[] | null
  readonly IPAMConfig?: { readonly IPv4Address?: string } | null
}

/** How a container was created, merged with its image. What the engine only hands through is not named. */
export type Config = Readonly<Record<string, unknown>> & {
  readonly Hostname: string
  readonly User: string
  readonly Tty: boolean
  readonly Env: readonly string[]
  readonly Cmd: readonly string[] | null
  readonly Entrypoint: readonly string[] | null
  readonly Image: string
  readonly Labels: Readonly<Record<string, string>>
  readonly ExposedPorts?: Readonly<Record<string, object>>
  readonly Volumes: Readonly<Record<string, object>> | null
  readonly Healthcheck?: HealthcheckConfig
  readonly StopSignal?: string
  readonly StopTimeout?: number
}

export type HostConfig = Readonly<Record<string, unknown>> & {
  readonly NetworkMode: string
  readonly PidMode: string
  readonly IpcMode: string
  readonly RestartPolicy: { readonly Name: string; readonly MaximumRetryCount: number }
  readonly PortBindings: PortBindings
  readonly Mounts?: readonly MountBody[]
  readonly Memory: number
  readonly MemorySwap: number
  readonly ReadonlyRootfs: boolean
  readonly LogConfig?: { readonly Type: string }
  readonly Init?: boolean
}

export type PortBindings = Readonly<
  Record<string, readonly { readonly HostIp?: string; readonly HostPort?: string }[] | null>
>

export type MountBody = {
  readonly Type: 'volume' | 'bind' | 'tmpfs'
  readonly Source?: string
  readonly Target: string
  readonly ReadOnly?: boolean
  readonly VolumeOptions?: {
    readonly Labels?: Readonly<Record<string, string>>
    readonly DriverConfig?: { readonly Name?: string; readonly Options?: Readonly<Record<string, string>> }
  }
}

/** What is mounted into a container. */
export type MountPoint = {
  readonly type: MountBody['Type']
  /** The volume's name, or the path on the host. */
  readonly source: string
  readonly target: string
  readonly isReadOnly: boolean
  /** The volume has no name of its own, and goes with the container. */
  readonly isAnonymous: boolean
}

/** Merges what was asked for with what the image says, as the engine does. */
export function mergeConfig(id: string, body: CreateBody, { config: image }: Image): Config {
  const { HostConfig: _, NetworkingConfig: __, ...asked } = body
  const { Env = [], Entrypoint = null, Cmd = null, Labels = {}, Healthcheck } = asked
  const names = new Set(Env.map(nameOf))
  const check = Healthcheck === undefined ? image.Healthcheck : { ...image.Healthcheck, ...Healthcheck }
  const stopSignal = asked.StopSignal ?? image.StopSignal
  const ports = { ...image.ExposedPorts, ...asked.ExposedPorts }
  return {
    ...{ Domainname: '', AttachStdin: false, AttachStdout: false, AttachStderr: false },
    ...{ OpenStdin: false, StdinOnce: false, OnBuild: null },
    ...asked,
    Hostname: asked.Hostname ?? id.slice(0, 12),
    User: asked.User || image.User,
    Tty: asked.Tty ?? false,
    // A name without a value stays, and takes away the variable of the image.
    Env: [...Env, ...image.Env.filter(one => !names.has(nameOf(one)))],
    // A container's own entrypoint also hides the command of its image.
    Cmd: Cmd ?? (Entrypoint === null ? image.Cmd : null),
    Entrypoint: Entrypoint ?? image.Entrypoint,
    Image: asked.Image ?? '',
    Labels: { ...image.Labels, ...Labels },
    WorkingDir: asked['WorkingDir'] ?? image.WorkingDir,
    Volumes: image.Volumes === null && asked.Volumes == null ? null : { ...image.Volumes, ...asked.Volumes },
    ...(Object.keys(ports).length === 0 ? {} : { ExposedPorts: ports }),
    ...(check === undefined ? {} : { Healthcheck: check }),
    ...(stopSignal === undefined ? {} : { StopSignal: stopSignal }),
  }
}

function nameOf(pair: string): string {
  return pair.replace(/=.*/s, '')
}

/** Adds what the engine chooses where nothing is asked for. */
export function mergeHostConfig(asked: Partial<HostConfig> = {}): HostConfig {
  const memory = asked.Memory ?? 0
  return {
    ...usual,
    ...asked,
    NetworkMode: asked.NetworkMode || 'default',
    PidMode: asked.PidMode ?? '',
    IpcMode: asked.IpcMode || 'private',
    RestartPolicy: { Name: '', MaximumRetryCount: 0, ...asked.RestartPolicy },
    PortBindings: asked.PortBindings ?? {},
    Memory: memory,
    MemorySwap: asked.MemorySwap || 2 * memory,
    ReadonlyRootfs: asked.ReadonlyRootfs ?? false,
  }
}

const usual = {
  ...{ Binds: null, ContainerIDFile: '', LogConfig: { Type: 'json-file', Config: {} }, AutoRemove: false },
  ...{ VolumeDriver: '', VolumesFrom: null, CapAdd: null, CapDrop: null, CgroupnsMode: 'host', Dns: null },
  ...{ DnsOptions: null, DnsSearch: null, ExtraHosts: null, GroupAdd: null, Cgroup: '', Links: null },
  ...{ OomScoreAdj: 0, Privileged: false, PublishAllPorts: false, SecurityOpt: null, UTSMode: '' },
  ...{ UsernsMode: '', ShmSize: 67_108_864, Runtime: 'runc', ConsoleSize: [0, 0], Isolation: '' },
  ...{ CpuShares: 0, NanoCpus: 0, CgroupParent: '', CpuPeriod: 0, CpuQuota: 0, CpusetCpus: '' },
  ...{ CpusetMems: '', Devices: null, MemoryReservation: 0, MemorySwappiness: null },
  ...{ OomKillDisable: false, PidsLimit: null, Ulimits: null },
}

/** Returns a mounted thing as the engine shows it. */
export function shownMount({ type, source, target, isReadOnly }: MountPoint): object {
  const more = {
    Destination: target,
    Mode: '',
    RW: !isReadOnly,
    Propagation: type === 'bind' ? 'rprivate' : '',
  }
  return type === 'volume'
    ? { Type: type, Name: source, Source: mountpointOf(source), Driver: 'local', ...more }
    : { Type: type, Source: source, ...more }
}
