import { defined } from '../../docker/container/config/defined.ts'
import { volumelessMount } from '../../docker/container/config/volumeless-mount.ts'
import type { Container, File, Healthcheck, Mount } from '../../state/application/container/container.ts'
import { reveal } from '../../state/secret/text.ts'
import { byText } from '../../text/order.ts'
import type { ContainerSpec } from '../api/service.ts'
import { literal, withLiterals } from './literal.ts'

/** A file of a container, and the config or secret that holds it. */
export type KeptFile = {
  readonly file: File
  readonly kind: 'config' | 'secret'
  readonly id: string
  readonly name: string
}

type Labels = Readonly<Record<string, string>>

/**
 * Returns how each task of a service runs.
 * @param own the labels of the owner's volumes
 */
export function containerSpec(
  spec: Container,
  { labels, own, image }: { readonly labels: Labels; readonly own: Labels; readonly image: string },
  files: readonly KeptFile[],
): ContainerSpec {
  const ofKind = (kind: KeptFile['kind']) => files.filter(file => file.kind === kind)
  return defined({
    Image: image,
    Labels: labels,
    Command: spec.entrypoint,
    Args: spec.command,
    Env: spec.env && variables(spec.env),
    Hostname: spec.hostname && literal(spec.hostname),
    Dir: spec.workingDir,
    User: spec.user,
    Groups: spec.groupAdd,
    TTY: spec.tty,
    OpenStdin: spec.stdinOpen,
    ReadOnly: spec.readOnly,
    Init: spec.init,
    StopSignal: spec.stopSignal,
    StopGracePeriod: spec.stopGraceMs * 1_000_000,
    HealthCheck: spec.healthcheck && checkOf(spec.healthcheck),
    Hosts: spec.extraHosts?.map(hostLine),
    DNSConfig: dnsOf(spec),
    Mounts: spec.mounts?.map(mount => withLiterals(mountOf(mount, own))),
    Sysctls: spec.sysctls,
    Ulimits: spec.ulimits?.map(({ name, soft, hard }) => ({ Name: name, Soft: soft, Hard: hard })),
    CapabilityAdd: spec.capAdd?.map(capability),
    CapabilityDrop: spec.capDrop?.map(capability),
    Configs: listed(
      ofKind('config').map(one => ({
        File: targetOf(one.file, spec),
        ConfigID: one.id,
        ConfigName: one.name,
      })),
    ),
    Secrets: listed(
      ofKind('secret').map(one => ({
        File: targetOf(one.file, spec),
        SecretID: one.id,
        SecretName: one.name,
      })),
    ),
  }) as ContainerSpec
}

function listed<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

/** Everybody in the container may read what belongs to a user whom only the image knows, as Swarms do it themselves. */
const readable = 0o444

/** Returns where a file appears. Without an owner it belongs to the container's user, if that is a number. */
function targetOf({ path, mode, uid, gid }: File, { user = '' }: Container): object {
  const [ownUid, ownGid] = /^(\d+)(?::(\d+))?$/.exec(user)?.slice(1) ?? []
  const isForAll = (mode & 0o004) !== 0
  const owner = uid ?? (isForAll ? 0 : ownUid)
  return {
    Name: path,
    UID: String(owner ?? 0),
    GID: String(gid ?? (isForAll ? 0 : (ownGid ?? 0))),
    Mode: owner === undefined ? readable : mode,
  }
}

function variables(env: NonNullable<Container['env']>): readonly string[] {
  return Object.entries(env)
    .sort(byText(([name]) => name))
    .map(([name, value]) => `${name}=${literal(reveal(value))}`)
}

/** A Swarm writes them as /etc/hosts does: the address first. */
function hostLine(written: string): string {
  const at = written.indexOf(':')
  return `${written.slice(at + 1)} ${written.slice(0, at)}`
}

function dnsOf({ dns, dnsSearch, dnsOptions }: Container): object | undefined {
  const config = defined({ Nameservers: dns, Search: dnsSearch, Options: dnsOptions })
  return Object.keys(config).length === 0 ? undefined : config
}

/** A Swarm compares them in one spelling. */
function capability(name: string): string {
  return name === 'ALL' || name.startsWith('CAP_') ? name : `CAP_${name}`
}

function checkOf(healthcheck: Healthcheck): object {
  if (healthcheck.kind === 'none') return { Test: ['NONE'] }
  const { test, intervalMs, timeoutMs, startPeriodMs, retries } = healthcheck
  const nanoseconds = (ms: number | undefined) => (ms === undefined ? undefined : ms * 1_000_000)
  return defined({
    Test: test,
    Interval: nanoseconds(intervalMs),
    Timeout: nanoseconds(timeoutMs),
    StartPeriod: nanoseconds(startPeriodMs),
    Retries: retries,
  })
}

function mountOf(mount: Mount, own: Labels): object {
  switch (mount.kind) {
    case 'volume':
      return defined({
        Type: 'volume',
        Source: mount.volume,
        Target: mount.path,
        ReadOnly: mount.readOnly,
        VolumeOptions: defined({
          Labels: own,
          DriverConfig: mount.made && defined({ Name: mount.made.driver, Options: mount.made.options }),
        }),
      })
    case 'ephemeral':
    case 'files':
      return { Type: 'volume', Target: mount.path }
    case 'tmpfs':
    case 'host':
      return volumelessMount(mount)
  }
}
