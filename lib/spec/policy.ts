import { posix } from 'node:path'
import type { Container, Mount, Port } from '../state/container.ts'
import type { Volume } from '../state/volume.ts'

/** What the operator allows a repository to demand of a host; everything is refused by default (G23). */
export type Policy = {
  readonly privileged: boolean
  /** Absolute paths; what lies below them may be mounted. */
  readonly hostMounts: readonly string[]
  readonly hostNetwork: boolean
  /** The host's own processes, and its shared memory. */
  readonly hostPid: boolean
  readonly hostIpc: boolean
  /** Without `CAP_`, or `ALL`. */
  readonly capabilities: readonly string[]
  /** Paths of devices on the host, or of directories of them. */
  readonly devices: readonly string[]
  /** As written: `apparmor=unconfined`. */
  readonly securityOptions: readonly string[]
  /** Of volumes, besides the engine's own. */
  readonly volumeDrivers: readonly string[]
  /** Names of kernel parameters beyond those of a container's own namespaces. */
  readonly sysctls: readonly string[]
  /** What may be published: on ports of the host below 1024, and on all of its addresses. */
  readonly ports: { readonly privileged: boolean; readonly anyAddress: boolean }
}

/** Nothing is allowed but to publish ports, which makes nobody root. */
export const strictPolicy: Policy = {
  privileged: false,
  hostMounts: [],
  hostNetwork: false,
  hostPid: false,
  hostIpc: false,
  capabilities: [],
  devices: [],
  securityOptions: [],
  volumeDrivers: [],
  sysctls: [],
  ports: { privileged: true, anyAddress: true },
}

/** What is refused: the key of the specification it stands under, and why, with the key that would allow it. */
export type Violation = { readonly key: ViolatedKey; readonly reason: string }

type ViolatedKey =
  | 'privileged'
  | 'pid'
  | 'ipc'
  | 'cap_add'
  | 'devices'
  | 'security_opt'
  | 'sysctls'
  | 'mounts'
  | 'ports'

/**
 * What a container demands beyond the policy. Paths are judged as written; that no symlink of the host leads out of an
 * allowed directory is checked on the engine, before anything is touched (`check-host-path`).
 */
export function violations(container: Container, policy: Policy): readonly Violation[] {
  return [
    ...(container.privileged === true && !policy.privileged
      ? [refused('privileged', 'is root on the host', 'privileged: true')]
      : []),
    ...(container.pid === 'host' && !policy.hostPid
      ? [refused('pid', 'sees the processes of the host', 'hostPid: true')]
      : []),
    ...(container.ipc === 'host' && !policy.hostIpc
      ? [refused('ipc', 'sees the shared memory of the host', 'hostIpc: true')]
      : []),
    ...(container.capAdd ?? [])
      .filter(capability => !allows(policy.capabilities.map(withoutPrefix), capability))
      .map(capability =>
        refused('cap_add', `adds the capability ${capability}`, `capabilities: [${capability}]`),
      ),
    ...(container.devices ?? [])
      .filter(({ host }) => !policy.devices.some(allowed => isWithin(host, allowed)))
      .map(({ host }) => refused('devices', `hands out the device ${host}`, `devices: [${host}]`)),
    ...(container.securityOpt ?? [])
      .filter(option => option !== harmlessOption && !policy.securityOptions.includes(option))
      .map(option => refused('security_opt', `sets ${option}`, `securityOptions: ["${option}"]`)),
    ...Object.keys(container.sysctls ?? {})
      .filter(name => !isNamespaced(name) && !policy.sysctls.includes(name))
      .map(name => refused('sysctls', `sets the host's ${name}`, `sysctls: [${name}]`)),
    ...(container.mounts ?? []).flatMap(mount => mountViolations(mount, policy)),
    ...portViolations(container.ports ?? [], policy),
  ]
}

/** Why a service is refused the host's network. */
export const refusedHostNetwork = `is the network of the host${allowBy('hostNetwork: true')}`

/** What published ports demand beyond the policy. */
export function portViolations(ports: readonly Port[], { ports: allowed }: Policy): readonly Violation[] {
  return ports.flatMap(({ target, published, hostIp = '' }) => [
    ...(!allowed.privileged && published !== undefined && published < 1024
      ? [
          refused(
            'ports',
            `publishes host port ${published}, which is below 1024`,
            'ports: {privileged: true}',
          ),
        ]
      : []),
    ...(!allowed.anyAddress && everyAddress.includes(hostIp)
      ? [
          refused(
            'ports',
            `publishes port ${target} on all addresses of the host`,
            'ports: {anyAddress: true}',
          ),
        ]
      : []),
  ])
}

const everyAddress = ['', '0.0.0.0', '::']

/**
 * Why a persistent volume is refused, if it is: a driver that the operator does not name, or options of the engine's own
 * that mount something of the host by the back door. What others make of their options is theirs.
 */
export function volumeViolation(volume: Volume, policy: Policy): string | undefined {
  const { driver, driverOptions = {} } = volume
  if (driver !== undefined)
    return policy.volumeDrivers.includes(driver)
      ? undefined
      : `uses the volume driver "${driver}"${allowBy(`volumeDrivers: [${driver}]`)}`
  if (Object.keys(driverOptions).length === 0) return undefined
  const { type = '', device = '', o = '' } = driverOptions
  const binds = o.split(',').some(option => propagating.test(option.trim()))
  if (!binds && harmlessTypes.includes(type)) return undefined
  if (binds && hostPathFault(device, policy) === undefined) return undefined
  const what = device === '' ? 'a file system' : `"${device}"`
  return `mounts ${what} of the host by its driver_opts${allowBy(`hostMounts: [${device}]`)}`
}

/** Sockets that rule the engine: whoever can reach one is root on the host, whatever the policy says. */
const engineSockets = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/var/run/containerd/containerd.sock',
]

const harmlessOption = 'no-new-privileges:true'
/** File systems that are not the host's own, as long as no option turns the mount into another one. */
const harmlessTypes = ['tmpfs', 'nfs', 'nfs4', 'cifs']
const propagating = /^(r?bind|remount|move|r?(shared|slave|private|unbindable))$/

/** Kernel parameters that the kernel keeps per container (the engine's own list). */
const namespacedNames = [
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
  'kernel.shm_rmid_forced',
]
const namespacedPrefixes = ['net.', 'fs.mqueue.']

function refused(key: ViolatedKey, what: string, rule: string): Violation {
  return { key, reason: `${what}${allowBy(rule)}` }
}

function allowBy(rule: string): string {
  return `; the operator allows that by "policy: {${rule}}" in tallyman.yaml`
}

function allows(capabilities: readonly string[], capability: string): boolean {
  return capabilities.includes('ALL') || capabilities.includes(capability)
}

function withoutPrefix(capability: string): string {
  return capability.toUpperCase().replace(/^CAP_/, '')
}

function isNamespaced(name: string): boolean {
  return namespacedNames.includes(name) || namespacedPrefixes.some(prefix => name.startsWith(prefix))
}

function mountViolations(mount: Mount, policy: Policy): readonly Violation[] {
  if (mount.kind !== 'host') return []
  const fault = hostPathFault(mount.source, policy)
  return fault === undefined ? [] : [{ key: 'mounts', reason: fault }]
}

function hostPathFault(path: string, policy: Policy): string | undefined {
  if (!path.startsWith('/')) return `mounts "${path}", which is no absolute path`
  const source = posix.resolve(path)
  if (engineSockets.some(socket => isWithin(socket, source) || isWithin(source, socket)))
    return `mounts ${source}, which holds the engine's socket; that is never allowed`
  return policy.hostMounts.some(allowed => isWithin(source, allowed))
    ? undefined
    : `mounts ${source} of the host${allowBy(`hostMounts: [${source}]`)}`
}

/** The container with each mount of the host told which allowed directory it lies in: the smallest, if several do. */
export function withinAllowed(container: Container, { hostMounts }: Policy): Container {
  const { mounts } = container
  if (mounts === undefined || !mounts.some(({ kind }) => kind === 'host')) return container
  return {
    ...container,
    mounts: mounts.map(mount => {
      if (mount.kind !== 'host') return mount
      const around = hostMounts
        .map(allowed => posix.resolve('/', allowed))
        .filter(allowed => isWithin(mount.source, allowed))
      const within = around.sort((a, b) => b.length - a.length)[0]
      return within === undefined ? mount : { ...mount, within }
    }),
  }
}

/** Whether a path is another or lies below it, by whole components. */
function isWithin(path: string, directory: string): boolean {
  const above = posix.resolve('/', directory)
  return above === '/' || path === above || path.startsWith(`${above}/`)
}
