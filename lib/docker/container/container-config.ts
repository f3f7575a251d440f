import type { Placement, Provenance } from '../../plan/step/step.ts'
import type { Container, Healthcheck, Image, Mount, Port } from '../../state/application/container.ts'
import { digestOf } from '../../state/application/fingerprint.ts'
import { pinnedReference } from '../../state/image/reference.ts'
import { label } from '../../state/labels.ts'
import { reveal } from '../../state/secret/text.ts'
import { byText } from '../../text/order.ts'
import { ownLabels } from '../ownership.ts'

/** The body of `POST /containers/create`, in the form of the Engine API. */
export type ContainerConfig = Readonly<Record<string, unknown>>

/**
 * Returns how the engine has to create a container: as the specification says, and nothing else (G2).
 * @param blanks empty labels that hide reserved labels of its image
 */
export function containerConfig(
  spec: Container,
  placement: Placement,
  provenance: Provenance,
  blanks: Readonly<Record<string, string>>,
): ContainerConfig {
  return present({
    Image: imageOf(spec.image),
    Labels: { ...blanks, ...labelsOf(spec, placement, provenance) },
    Entrypoint: spec.entrypoint,
    Cmd: spec.command,
    Env: pairsOf(spec.env),
    User: spec.user,
    Tty: spec.tty,
    OpenStdin: spec.stdinOpen,
    WorkingDir: spec.workingDir,
    Hostname: spec.hostname,
    ExposedPorts: spec.ports && Object.fromEntries(spec.ports.map(port => [portKey(port), {}])),
    Healthcheck: spec.healthcheck && healthcheckOf(spec.healthcheck),
    StopSignal: spec.stopSignal,
    StopTimeout: Math.ceil(spec.stopGraceMs / 1000),
    HostConfig: hostConfigOf(spec, placement, provenance),
    NetworkingConfig:
      placement.joins === undefined && placement.network.mode !== 'host'
        ? { EndpointsConfig: { [placement.network.name]: { Aliases: placement.aliases } } }
        : undefined,
  })
}

/** Returns the image that the engine runs: by its digest, or else by the id of the one that the engine has. */
export function imageOf({ reference, pin }: Image): string {
  switch (pin.state) {
    case 'pinned':
      return pinnedReference(reference, pin.digest)
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return reference
  }
}

/** How the engine is told which platform is meant: it then refuses any other, and does not warn of a foreign one. */
export function platformQuery({ platform }: Image): { readonly platform?: string } {
  return platform === undefined ? {} : { platform }
}

/** Tallyman's labels come last, so that nobody's own labels can replace them. */
function labelsOf(spec: Container, placement: Placement, provenance: Provenance) {
  return present({
    ...spec.labels,
    ...ownLabels(provenance, placement.application),
    [label.service]: placement.service,
    [label.instance]: String(placement.instance),
    [label.container]: spec.name,
    [label.role]: placement.role,
    [label.processes]: placement.ownProcesses && 'own',
    [label.version]: placement.version,
    [label.fingerprint]: placement.fingerprint,
    [label.image]: spec.image.reference,
    [label.digest]: digestOf(spec.image.pin),
    [label.files]: spec.files && JSON.stringify(spec.files.map(({ path }) => path)),
    [label.commit]: placement.commit ?? provenance.commit,
  })
}

function hostConfigOf(spec: Container, placement: Placement, provenance: Provenance): ContainerConfig {
  const { name, maxRetries } = spec.restart
  return present({
    ...namespacesOf(spec, placement),
    PortBindings: spec.ports && bindingsOf(spec.ports),
    // Never Binds: they would create a missing directory on the host (C20).
    Mounts: spec.mounts
      ?.filter(mount => !isOfTmpfs(mount))
      .map(mount => mountOf(mount, placement, provenance)),
    Tmpfs: spec.mounts && tmpfsOf(spec.mounts),
    RestartPolicy: present({ Name: name, MaximumRetryCount: maxRetries }),
    Init: spec.init,
    ReadonlyRootfs: spec.readOnly,
    Privileged: spec.privileged,
    CapAdd: spec.capAdd,
    CapDrop: spec.capDrop,
    SecurityOpt: spec.securityOpt,
    GroupAdd: spec.groupAdd,
    Devices: spec.devices?.map(({ host, container, permissions }) => ({
      PathOnHost: host,
      PathInContainer: container,
      CgroupPermissions: permissions,
    })),
    Sysctls: spec.sysctls,
    Ulimits: spec.ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    ExtraHosts: spec.extraHosts,
    Dns: spec.dns,
    DnsSearch: spec.dnsSearch,
    DnsOptions: spec.dnsOptions,
    ShmSize: spec.shmSizeBytes,
    Memory: spec.memoryBytes,
    MemoryReservation: spec.memoryReservationBytes,
    MemorySwap: spec.memorySwapBytes,
    NanoCpus: spec.nanoCpus,
    CpusetCpus: spec.cpuset,
    CpuShares: spec.cpuShares,
    PidsLimit: spec.pidsLimit,
    OomScoreAdj: spec.oomScoreAdj,
    LogConfig: spec.logging && { Type: spec.logging.driver ?? '', Config: spec.logging.options },
  })
}

/** Returns what a container shares with its sandbox or with the host. The engine remembers a sandbox by its id. */
function namespacesOf({ pid, ipc }: Container, { role, network, joins }: Placement): ContainerConfig {
  if (joins !== undefined) {
    const inside = `container:${joins.sandbox}`
    return present({
      NetworkMode: inside,
      IpcMode: ipc ?? inside,
      PidMode: pid ?? (joins.processes ? inside : undefined),
    })
  }
  return present({
    NetworkMode: network.mode === 'host' ? 'host' : network.name,
    IpcMode: ipc ?? (role === 'sandbox' ? 'shareable' : undefined),
    PidMode: pid,
  })
}

function pairsOf(env: Container['env']): readonly string[] | undefined {
  return env === undefined
    ? undefined
    : Object.entries(env)
        .sort(byText(([name]) => name))
        .map(([key, value]) => `${key}=${reveal(value)}`)
}

function portKey({ target, protocol }: Port): string {
  return `${target}/${protocol}`
}

function bindingsOf(ports: readonly Port[]): ContainerConfig {
  const byPort = Object.groupBy(ports, portKey)
  return Object.fromEntries(
    Object.entries(byPort).map(([key, group = []]) => [
      key,
      group.map(({ hostIp = '', published }) => ({
        HostIp: hostIp,
        HostPort: published === undefined ? '' : String(published),
      })),
    ]),
  )
}

function mountOf(mount: Mount, placement: Placement, provenance: Provenance): ContainerConfig {
  switch (mount.kind) {
    case 'volume':
      return present({
        Type: 'volume',
        Source: mount.volume,
        Target: mount.path,
        ReadOnly: mount.readOnly,
      })
    case 'ephemeral':
      return mount.name === undefined
        ? { Type: 'volume', Target: mount.path }
        : {
            Type: 'volume',
            Source: ephemeralVolume(placement.instanceName, mount.name),
            Target: mount.path,
            VolumeOptions: { NoCopy: true, Labels: ownLabels(provenance, placement.application) },
          }
    case 'files':
      return { Type: 'volume', Target: mount.path, VolumeOptions: { NoCopy: true } }
    case 'tmpfs':
      return {
        Type: 'tmpfs',
        Target: mount.path,
        TmpfsOptions: present({ SizeBytes: mount.sizeBytes, Mode: mount.mode }),
      }
    case 'host':
      return present({ Type: 'bind', Source: mount.source, Target: mount.path, ReadOnly: mount.readOnly })
  }
}

type TmpfsMount = Extract<Mount, { kind: 'tmpfs' }>

/** Older engines accept an owner, and the right to run programs, in only one of two places. */
function isOfTmpfs(mount: Mount): mount is TmpfsMount {
  return (
    mount.kind === 'tmpfs' && (mount.uid !== undefined || mount.gid !== undefined || mount.exec !== undefined)
  )
}

function tmpfsOf(mounts: readonly Mount[]): Readonly<Record<string, string>> | undefined {
  const own = mounts.filter(isOfTmpfs)
  return own.length === 0
    ? undefined
    : Object.fromEntries(own.map(mount => [mount.path, tmpfsOptions(mount)]))
}

function tmpfsOptions({ sizeBytes, mode, uid, gid, exec }: TmpfsMount): string {
  const given = { size: sizeBytes, mode: mode?.toString(8), uid, gid }
  const options = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  )
  return [...options, ...(exec ? ['exec'] : [])].join(',')
}

/** Returns the name of a volume that the containers of one instance share, and that is removed with its sandbox. */
export function ephemeralVolume(instance: string, name: string): string {
  return `${instance}.${name}`
}

function healthcheckOf(healthcheck: Healthcheck): ContainerConfig {
  if (healthcheck.kind === 'none') return { Test: ['NONE'] }
  const { test, intervalMs, timeoutMs, startPeriodMs, startIntervalMs, retries } = healthcheck
  return present({
    Test: test,
    Interval: nanoseconds(intervalMs),
    Timeout: nanoseconds(timeoutMs),
    StartPeriod: nanoseconds(startPeriodMs),
    StartInterval: nanoseconds(startIntervalMs),
    Retries: retries,
  })
}

function nanoseconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms * 1_000_000
}

function present(fields: Readonly<Record<string, unknown>>): ContainerConfig {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
