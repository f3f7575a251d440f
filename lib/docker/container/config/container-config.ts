import type { ContainerPlace, Provenance } from '../../../plan/step/container-place.ts'
import type { Container, Healthcheck, Image, Port } from '../../../state/application/container/container.ts'
import { seccompProfile } from '../../../state/application/container/system-calls/filter.ts'
import { digestOf } from '../../../state/application/fingerprint.ts'
import { pinnedReference } from '../../../state/image/reference.ts'
import { label } from '../../../state/labels.ts'
import { reveal } from '../../../state/secret/text.ts'
import { byText } from '../../../text/order.ts'
import { ownLabels } from '../../ownership.ts'
import { commandOf } from './around-main.ts'
import { type ContainerConfig, defined } from './defined.ts'
import { mountsConfig } from './mounts-config.ts'

/** What a container is given because of its image. */
export type Inherited = {
  /** Empty labels for all reserved labels of the image, because a container has the labels of its image otherwise. */
  readonly labels: Readonly<Record<string, string>>
  /** The names of the variables of the image. */
  readonly variables: readonly string[]
}

/**
 * Returns how the engine has to create a container: as the specification says, and nothing else (G2).
 * @param given what it is given because of its image
 */
export function containerConfig(
  spec: Container,
  placement: ContainerPlace,
  provenance: Provenance,
  given: Inherited,
): ContainerConfig {
  const command = commandOf(spec)
  return defined({
    Image: imageOf(spec.image),
    Labels: { ...given.labels, ...labelsOf(spec, placement, provenance) },
    Entrypoint: command.entrypoint,
    Cmd: command.command,
    Env: variablesOf(spec, given),
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
function labelsOf(spec: Container, placement: ContainerPlace, provenance: Provenance) {
  return defined({
    ...spec.labels,
    ...ownLabels(provenance, placement.application),
    [label.service]: placement.service,
    [label.instance]: String(placement.instance),
    [label.container]: spec.name,
    [label.role]: placement.role,
    [label.restart]: spec.mayEnd && spec.restart.name,
    [label.processes]: placement.ownProcesses && 'own',
    [label.version]: placement.version,
    [label.fingerprint]: placement.fingerprint,
    [label.image]: spec.image.reference,
    [label.digest]: digestOf(spec.image.pin),
    [label.imageId]: spec.image.pin.state === 'unverified' ? spec.image.pin.imageId : undefined,
    [label.files]: spec.files && JSON.stringify(spec.files.map(({ path }) => path)),
    [label.commit]: placement.commit ?? provenance.commit,
    [label.record]: provenance.record,
  })
}

function securityOptions(spec: Container): readonly string[] | undefined {
  const { securityOpt, systemCalls } = spec
  if (systemCalls === undefined) return securityOpt
  return [...(securityOpt ?? []), `seccomp=${JSON.stringify(seccompProfile(systemCalls, spec))}`]
}

function hostConfigOf(spec: Container, placement: ContainerPlace, provenance: Provenance): ContainerConfig {
  const { name, maxRetries } = spec.restart
  return defined({
    ...namespacesOf(spec, placement),
    PortBindings: spec.ports && bindingsOf(spec.ports),
    ...(spec.mounts && mountsConfig(spec.mounts, placement, provenance)),
    RestartPolicy: defined({ Name: name, MaximumRetryCount: maxRetries }),
    Init: spec.init,
    ReadonlyRootfs: spec.readOnly,
    Privileged: spec.privileged,
    CapAdd: spec.capAdd,
    CapDrop: spec.capDrop,
    SecurityOpt: securityOptions(spec),
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
function namespacesOf({ pid, ipc }: Container, { role, network, joins }: ContainerPlace): ContainerConfig {
  if (joins !== undefined) {
    const inside = `container:${joins.sandbox}`
    return defined({
      NetworkMode: inside,
      IpcMode: ipc ?? inside,
      PidMode: pid ?? (joins.processes ? inside : undefined),
    })
  }
  return defined({
    NetworkMode: network.mode === 'host' ? 'host' : network.name,
    IpcMode: ipc ?? (role === 'sandbox' ? 'shareable' : undefined),
    PidMode: pid,
  })
}

/** A name without a value takes away the variable of the image. */
function variablesOf({ env, imageEnv }: Container, { variables }: Inherited): readonly string[] | undefined {
  const own = Object.entries(env ?? {})
    .sort(byText(([name]) => name))
    .map(([key, value]) => `${key}=${reveal(value)}`)
  const unset = imageEnv === 'unset' ? variables.filter(name => !Object.hasOwn(env ?? {}, name)) : []
  return env === undefined && unset.length === 0 ? undefined : [...own, ...unset]
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

function healthcheckOf(healthcheck: Healthcheck): ContainerConfig {
  if (healthcheck.kind === 'none') return { Test: ['NONE'] }
  const { test, intervalMs, timeoutMs, startPeriodMs, startIntervalMs, retries } = healthcheck
  return defined({
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
