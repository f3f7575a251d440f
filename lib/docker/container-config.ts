import type { Placement, Provenance } from '../plan/step.ts'
import type { Container, Healthcheck, Image, Mount, Port } from '../state/container.ts'
import { digestOf } from '../state/fingerprint.ts'
import { label } from '../state/labels.ts'
import { formatReference, parseReference } from '../state/reference.ts'

/** The body of `POST /containers/create`, in the Engine API's words. */
export type ContainerConfig = Readonly<Record<string, unknown>>

/** How the engine is told to make a container: what the specification says, and nothing else (G2). */
export function containerConfig(
  spec: Container,
  placement: Placement,
  provenance: Provenance,
): ContainerConfig {
  return present({
    Image: imageOf(spec.image),
    Labels: labelsOf(spec, placement, provenance),
    Entrypoint: spec.entrypoint,
    Cmd: spec.command,
    Env: pairsOf(spec.env),
    User: spec.user,
    WorkingDir: spec.workingDir,
    Hostname: spec.hostname,
    ExposedPorts: spec.ports && Object.fromEntries(spec.ports.map(port => [portKey(port), {}])),
    Healthcheck: spec.healthcheck && healthcheckOf(spec.healthcheck),
    StopSignal: spec.stopSignal,
    StopTimeout: Math.ceil(spec.stopGraceMs / 1000),
    HostConfig: hostConfigOf(spec, placement),
    NetworkingConfig: { EndpointsConfig: { [placement.network]: { Aliases: placement.aliases } } },
  })
}

/** What the engine runs: the digest where there is one, else the very image it has. */
function imageOf({ reference, pin }: Image): string {
  switch (pin.state) {
    case 'pinned':
      return pinnedReference(reference, pin.digest)
    case 'unverified':
      return pin.imageId
    case 'unknown':
      return reference
  }
}

/** `registry.example.com/team/web@sha256:…`: the tag is left out, the digest alone decides. */
export function pinnedReference(reference: string, digest: string): string {
  const { host, repository } = parseReference(reference)
  return formatReference({ host, repository, digest })
}

/** Ours go last: nobody's own labels can take their place. */
function labelsOf(spec: Container, placement: Placement, provenance: Provenance) {
  return present({
    ...spec.labels,
    [label.environment]: provenance.environment,
    [label.application]: placement.application,
    [label.service]: placement.service,
    [label.instance]: String(placement.instance),
    [label.container]: spec.name,
    [label.role]: 'app',
    [label.version]: placement.version,
    [label.fingerprint]: placement.fingerprint,
    [label.image]: spec.image.reference,
    [label.digest]: digestOf(spec.image.pin),
    [label.commit]: provenance.commit,
    [label.source]: provenance.source,
  })
}

function hostConfigOf(spec: Container, placement: Placement): ContainerConfig {
  const { name, maxRetries } = spec.restart
  return present({
    NetworkMode: placement.network,
    PortBindings: spec.ports && bindingsOf(spec.ports),
    // Never Binds: they would create a missing directory on the host (C20).
    Mounts: spec.mounts?.map(mountOf),
    RestartPolicy: present({ Name: name, MaximumRetryCount: maxRetries }),
    Init: spec.init,
    ReadonlyRootfs: spec.readOnly,
    Privileged: spec.privileged,
    CapAdd: spec.capAdd,
    CapDrop: spec.capDrop,
    SecurityOpt: spec.securityOpt,
    Devices: spec.devices?.map(({ host, container, permissions }) => ({
      PathOnHost: host,
      PathInContainer: container,
      CgroupPermissions: permissions,
    })),
    Sysctls: spec.sysctls,
    Ulimits: spec.ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    ExtraHosts: spec.extraHosts,
    Dns: spec.dns,
    ShmSize: spec.shmSizeBytes,
    Memory: spec.memoryBytes,
    NanoCpus: spec.nanoCpus,
    PidsLimit: spec.pidsLimit,
    LogConfig: spec.logging && { Type: spec.logging.driver, Config: spec.logging.options },
  })
}

function pairsOf(env: Container['env']): readonly string[] | undefined {
  return env === undefined
    ? undefined
    : Object.keys(env)
        .sort()
        .map(key => `${key}=${env[key]}`)
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

function mountOf(mount: Mount): ContainerConfig {
  switch (mount.kind) {
    case 'volume':
      return present({
        Type: 'volume',
        Source: mount.volume,
        Target: mount.path,
        ReadOnly: mount.readOnly,
      })
    case 'ephemeral':
      return { Type: 'volume', Target: mount.path }
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

function healthcheckOf(healthcheck: Healthcheck): ContainerConfig {
  if (healthcheck.kind === 'none') return { Test: ['NONE'] }
  const { test, intervalMs, timeoutMs, startPeriodMs, retries } = healthcheck
  return present({
    Test: test,
    Interval: nanoseconds(intervalMs),
    Timeout: nanoseconds(timeoutMs),
    StartPeriod: nanoseconds(startPeriodMs),
    Retries: retries,
  })
}

function nanoseconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms * 1_000_000
}

function present(fields: Readonly<Record<string, unknown>>): ContainerConfig {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
