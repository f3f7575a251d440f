import { unusualCapabilities } from '../../state/application/container/capabilities.ts'
import type { Container, Mount, Port } from '../../state/application/container/container.ts'
import { unusualCalls } from '../../state/application/container/system-calls/filter.ts'
import { directoryAround } from '../../text/in-directory.ts'
import { nearest } from '../../text/suggestion/nearest.ts'
import { isNamespaced } from '../kernel-parameters.ts'
import { allowBy } from './allow-by.ts'
import type { Grant } from './fence.ts'
import { judgeHostPath } from './host-path.ts'
import { type PolicyRefusal, pathFault } from './path-fault.ts'

/** What the operator allows a repository to demand of a host. Everything is refused by default (G23). */
export type Policy = {
  readonly privileged: boolean
  /** Absolute paths of directories. What is below them may be mounted. */
  readonly hostMounts: readonly string[]
  readonly hostNetwork: boolean
  /** The host's own processes, and its shared memory. */
  readonly hostPid: boolean
  readonly hostIpc: boolean
  /** Whether a container may make the kernel end others first when the host is short of memory. */
  readonly oomProtection: boolean
  /** Without `CAP_`, or `ALL`. */
  readonly capabilities: readonly string[]
  /** Paths of devices on the host, or of directories of them. */
  readonly devices: readonly string[]
  /** As written: `apparmor=unconfined`. */
  readonly securityOptions: readonly string[]
  /** Drivers of volumes besides the engine's own. */
  readonly volumeDrivers: readonly string[]
  /** Servers whose shares may be mounted as volumes, by name or address; `*` stands for all. */
  readonly remoteVolumes: readonly string[]
  /** The log drivers that containers may use. */
  readonly logDrivers: readonly string[]
  /** Names of kernel parameters beyond those of a container's own namespaces. */
  readonly sysctls: readonly string[]
  /** Whether ports of the host below 1024 may be published, and whether on all of its addresses. */
  readonly ports: { readonly privileged: boolean; readonly anyAddress: boolean }
  /** Which hosts, secrets and ports belong to which applications. Without an entry they belong to everybody. */
  readonly applications: readonly Grant[]
}

/** Allows only to publish ports, which makes nobody root, and to log into the host's own log. */
export const strictPolicy: Policy = {
  privileged: false,
  hostMounts: [],
  hostNetwork: false,
  hostPid: false,
  hostIpc: false,
  oomProtection: false,
  capabilities: [],
  devices: [],
  securityOptions: [],
  volumeDrivers: [],
  remoteVolumes: [],
  logDrivers: ['json-file', 'local', 'none', 'journald'],
  sysctls: [],
  ports: { privileged: true, anyAddress: true },
  applications: [],
}

/** What is refused: the key of the specification, and why, with the key that would allow it. */
export type Violation = PolicyRefusal & { readonly key: ViolatedKey }

type ViolatedKey =
  | 'privileged'
  | 'pid'
  | 'ipc'
  | 'oom_score_adj'
  | 'cap_add'
  | 'devices'
  | 'security_opt'
  | 'sysctls'
  | 'logging'
  | 'mounts'
  | 'ports'

/** Returns what a container demands beyond the policy. */
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
    ...((container.oomScoreAdj ?? 0) < 0 && !policy.oomProtection
      ? [
          refused(
            'oom_score_adj',
            'makes the kernel kill others first when memory is short',
            'oomProtection: true',
          ),
        ]
      : []),
    ...unusualCapabilities(container)
      .filter(capability => !allows(policy.capabilities.map(withoutPrefix), capability))
      .map(capability =>
        refused('cap_add', `adds the capability ${capability}`, `capabilities: [${capability}]`),
      ),
    ...(container.devices ?? [])
      .filter(({ host }) => directoryAround(host, policy.devices) === undefined)
      .map(({ host }) => refused('devices', `hands out the device ${host}`, `devices: [${host}]`)),
    ...(container.securityOpt ?? [])
      .filter(option => option !== harmlessOption && !policy.securityOptions.includes(option))
      .map(option => refused('security_opt', `sets ${option}`, `securityOptions: ["${option}"]`)),
    ...callViolations(container, policy),
    ...Object.keys(container.sysctls ?? {})
      .filter(name => !isNamespaced(name) && !policy.sysctls.includes(name))
      .map(name =>
        refused(
          'sysctls',
          `sets the host's ${name}, for which engines need another runtime than runc`,
          `sysctls: [${name}]`,
        ),
      ),
    ...logViolations(container, policy),
    ...(container.mounts ?? []).flatMap(mount => mountViolations(mount, policy)),
    ...portViolations(container.ports ?? [], policy),
  ]
}

function callViolations(container: Container, policy: Policy): readonly Violation[] {
  const { systemCalls } = container
  if (systemCalls === undefined || policy.securityOptions.includes('seccomp=unconfined')) return []
  const calls = unusualCalls(systemCalls, container)
  if (calls.length === 0) return []
  const what = `makes the system calls ${calls.join(', ')}, which engines permit no container with its capabilities`
  return [refused('security_opt', what, 'securityOptions: ["seccomp=unconfined"]')]
}

/** Why a service is refused the host's network. */
export const refusedHostNetwork = `uses the network of the host${allowBy('hostNetwork: true')}`

/** Returns what published ports demand beyond the policy. */
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

const harmlessOption = 'no-new-privileges:true'

function refused(key: ViolatedKey, what: string, rule: string): Violation {
  return { key, reason: `${what}${allowBy(rule)}` }
}

function allows(capabilities: readonly string[], capability: string): boolean {
  return capabilities.includes('ALL') || capabilities.includes(capability)
}

function withoutPrefix(capability: string): string {
  return capability.toUpperCase().replace(/^CAP_/, '')
}

/** Without a driver, the output goes to the engine's own log, which the operator configured. */
function logViolations({ logging }: Container, { logDrivers }: Policy): readonly Violation[] {
  const { driver } = logging ?? {}
  if (driver === undefined || logDrivers.includes(driver)) return []
  const rule = `logDrivers: [${[...logDrivers, driver].join(', ')}]`
  const meant = nearest(driver, logDrivers)
  const near = meant === undefined ? '' : ` (did you mean "${meant}"?)`
  return [refused('logging', `sends its output to the log driver "${driver}"${near}`, rule)]
}

function mountViolations(mount: Mount, policy: Policy): readonly Violation[] {
  if (mount.kind !== 'host') return []
  const fault = pathFault(judgeHostPath(mount.source, policy.hostMounts))
  return fault === undefined ? [] : [{ key: 'mounts', ...fault }]
}

/** Returns the container with the allowed directory of each mount of the host. */
export function withinAllowed(container: Container, { hostMounts }: Policy): Container {
  const { mounts } = container
  if (mounts === undefined || !mounts.some(({ kind }) => kind === 'host')) return container
  return {
    ...container,
    mounts: mounts.map(mount => {
      if (mount.kind !== 'host') return mount
      const judged = judgeHostPath(mount.source, hostMounts)
      return judged.state === 'allowed' ? { ...mount, within: judged.within } : mount
    }),
  }
}
