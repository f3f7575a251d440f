import { optional } from '../object.ts'
import type { SandboxProbe } from '../state/application/application.ts'
import type { Container, Healthcheck, Image, Mount, Port } from '../state/application/container/container.ts'
import { byText } from '../text/order.ts'
import type { BuildContext } from './build/context.ts'
import { noImage, readImage } from './image.ts'
import { present } from './present.ts'
import { probeKinds } from './probes/probe.ts'
import { checkScript, sandboxScript, type Watched } from './probes/script.ts'
import type { Spot } from './spot.ts'

/** The name of a sandbox in its instance. */
export const sandboxName = 'sandbox'

/** Containers without the settings that their sandbox now has. */
export type Joined = {
  readonly sandbox: Container
  readonly probed: readonly SandboxProbe[]
  readonly init: readonly Container[]
  readonly members: readonly Container[]
}

/**
 * Creates the sandbox of an instance (C50). It holds the network, so it gets the ports, host name, name servers, hosts,
 * kernel parameters and size of shared memory of all containers. It mounts what they share, which therefore exists as
 * long as the instance. And it performs their probes. If two containers want different settings of it, that is a fault.
 *
 * @param timeoutMs how long a rollout waits until the instance is ready
 */
export function join(
  parts: {
    readonly image: Image
    readonly init: readonly Container[]
    readonly members: readonly Container[]
    readonly watched: readonly Watched[]
    readonly timeoutMs: number
  },
  spot: Spot,
): Joined {
  const { image, init, members, watched, timeoutMs } = parts
  const all = [...init, ...members]
  const probed = watched.filter(({ probes }) => Object.keys(probes).length > 0)
  const shared = sharedVolumes(all)
  const sandbox: Container = {
    name: sandboxName,
    image,
    entrypoint: ['sh', '-c'],
    command: [
      sandboxScript(
        probed,
        shared.some(({ root }) => root === undefined),
      ),
    ],
    restart: { name: 'unless-stopped' },
    stopGraceMs: 1_000,
    // The engine puts nothing into a file system that is only read, also no directory with another owner.
    readOnly: shared.every(({ root }) => root === undefined),
    capDrop: ['ALL'],
    ...present({
      hostname: theOne(all, 'hostname', spot, 'hostname'),
      dns: theOne(all, 'dns', spot, 'dns'),
      dnsSearch: theOne(all, 'dnsSearch', spot, 'dns_search'),
      dnsOptions: theOne(all, 'dnsOptions', spot, 'dns_opt'),
      shmSizeBytes: theOne(all, 'shmSizeBytes', spot, 'shm_size'),
      extraHosts: hostsOf(all, spot),
      sysctls: sysctlsOf(all, spot),
      ports: portsOf(all, spot),
      mounts: mountsOf(shared, probed.length > 0),
      healthcheck: probed.length === 0 ? undefined : healthcheckFor(probed, timeoutMs),
    }),
  }
  return {
    sandbox,
    probed: watched.flatMap(probesOf),
    init: init.map(withoutShared),
    members: members.map(withoutShared),
  }
}

function probesOf({ container, probes }: Watched): readonly SandboxProbe[] {
  return probeKinds.flatMap(kind => {
    const over = probes[kind]?.action.kind
    return over === undefined ? [] : [{ container, kind, over }]
  })
}

function withoutShared(container: Container): Container {
  const {
    hostname: _,
    dns: __,
    dnsSearch: ___,
    dnsOptions: ____,
    shmSizeBytes: _____,
    extraHosts: ______,
    sysctls: _______,
    ports: ________,
    ...own
  } = container
  const { mounts } = own
  return mounts === undefined ? own : { ...own, mounts: mounts.map(withoutRoot) }
}

/** The sandbox is there first, and has given the volume its owner by then. */
function withoutRoot(mount: Mount): Mount {
  if (mount.kind !== 'ephemeral' || mount.root === undefined) return mount
  const { root: _, ...plain } = mount
  return plain
}

/** Returns the value that only one of them sets, or all of them equally. */
function theOne<Key extends 'hostname' | 'dns' | 'dnsSearch' | 'dnsOptions' | 'shmSizeBytes'>(
  containers: readonly Container[],
  key: Key,
  spot: Spot,
  written: string,
): Container[Key] | undefined {
  const [first, ...others] = containers.filter(container => container[key] !== undefined)
  const other = others.find(container => String(container[key]) !== String(first?.[key]))
  if (first !== undefined && other !== undefined) differ(spot, first.name, other.name, written)
  return first?.[key]
}

function hostsOf(containers: readonly Container[], spot: Spot): readonly string[] {
  const byName = new Map<string, { readonly owner: string; readonly entries: readonly string[] }>()
  for (const { name: owner, extraHosts = [] } of containers)
    for (const [name, entries = []] of Object.entries(
      Object.groupBy(extraHosts, entry => entry.slice(0, entry.indexOf(':'))),
    )) {
      const other = byName.get(name)
      if (other !== undefined && other.entries.join() !== entries.join())
        differ(spot, other.owner, owner, `extra_hosts for ${name}`)
      byName.set(name, { owner, entries })
    }
  return [...byName.keys()].sort().flatMap(name => byName.get(name)?.entries ?? [])
}

function sysctlsOf(containers: readonly Container[], spot: Spot): Readonly<Record<string, string>> {
  const merged = new Map<string, { readonly owner: string; readonly value: string }>()
  for (const { name: owner, sysctls = {} } of containers)
    for (const [name, value] of Object.entries(sysctls)) {
      const other = merged.get(name)
      if (other !== undefined && other.value !== value) differ(spot, other.owner, owner, `sysctls ${name}`)
      merged.set(name, { owner, value })
    }
  return Object.fromEntries([...merged].map(([name, { value }]) => [name, value]))
}

/** In one network a port belongs to one container. */
function portsOf(containers: readonly Container[], spot: Spot): readonly Port[] {
  const owners = new Map<string, string>()
  const ports = containers.flatMap(({ name, ports = [] }) =>
    ports.map(port => {
      const place = `${port.target}/${port.protocol}`
      const owner = owners.get(place)
      if (owner !== undefined && owner !== name) differ(spot, owner, name, `ports ${place}`)
      owners.set(place, name)
      return port
    }),
  )
  return ports.sort((a, b) => a.target - b.target || (a.published ?? 0) - (b.published ?? 0))
}

type Shared = Extract<Mount, { kind: 'ephemeral' }> & { readonly name: string }

/** Returns the ephemeral volumes with a name, each once, sorted by it. */
function sharedVolumes(containers: readonly Container[]): readonly Shared[] {
  const shared = containers.flatMap(({ mounts = [] }) => mounts.filter(isShared))
  const byName = new Map(shared.map(mount => [mount.name, mount]))
  return [...byName.values()].sort(byText(({ name }) => name))
}

function isShared(mount: Mount): mount is Shared {
  return mount.kind === 'ephemeral' && mount.name !== undefined
}

/**
 * Returns the mounts of what the containers share, which exists as long as the sandbox, and of a place for the results
 * of probes.
 */
function mountsOf(volumes: readonly Shared[], hasProbes: boolean): readonly Mount[] {
  const shared = volumes.map(
    ({ name, root }): Mount => ({
      kind: 'ephemeral',
      path: `/volumes/${name}`,
      name,
      ...optional('root', root),
    }),
  )
  return hasProbes ? [{ kind: 'tmpfs', path: '/run', sizeBytes: 1024 * 1024 }, ...shared] : shared
}

/** The check runs as often as the shortest probe. It succeeds once all are ready, and fails as soon as one is not. */
function healthcheckFor(watched: readonly Watched[], timeoutMs: number): Healthcheck {
  const periods = watched.flatMap(({ probes }) => probeKinds.flatMap(kind => probes[kind]?.period ?? []))
  const shortest = periods.reduce((least, period) => Math.min(least, period), 5)
  return {
    kind: 'command',
    test: ['CMD', 'sh', '-c', checkScript],
    intervalMs: Math.max(1, shortest) * 1000,
    timeoutMs: 5_000,
    startPeriodMs: timeoutMs,
    retries: 1,
  }
}

function differ(spot: Spot, one: string, other: string, what: string): void {
  spot.fault(`share one network, but ${one} and ${other} differ in ${what}`)
}

/** Returns the configured image of sandboxes. */
export function sandboxImage({ sandboxImage }: BuildContext): Image {
  const image = readImage(sandboxImage)
  return image.ok ? { ...image.value, configuredIn: 'sandbox' } : noImage
}
