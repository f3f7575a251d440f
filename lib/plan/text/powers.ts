import { unusualCapabilities } from '../../state/application/container/capabilities.ts'
import type { Container, Device, Mount } from '../../state/application/container/container.ts'
import { unusualCalls } from '../../state/application/container/system-calls/filter.ts'
import type { Volume } from '../../state/application/volume.ts'
import { quoted } from './jobs-text.ts'

/**
 * Returns what a container can do to the host, or beyond it, that an ordinary one cannot, in words (G23). It includes
 * everything that a policy has to allow. Published ports are shown separately.
 */
export function powersOf(container: Container): readonly string[] {
  const { privileged, pid, ipc, devices = [], securityOpt = [], sysctls = {} } = container
  const { mounts = [], logging, oomScoreAdj = 0, systemCalls } = container
  return [
    ...(privileged === true ? ['privileged'] : []),
    ...(pid === 'host' ? ["the host's processes"] : []),
    ...(ipc === 'host' ? ["the host's shared memory"] : []),
    ...unusualCapabilities(container).map(capability => `capability ${quoted(capability)}`),
    ...devices.map(deviceText),
    ...mounts.flatMap(hostMountText),
    ...securityOpt
      .filter(option => option !== 'no-new-privileges:true')
      .map(option => `security option ${quoted(option)}`),
    ...(systemCalls === undefined ? [] : unusualCalls(systemCalls, container)).map(
      name => `system call ${quoted(name)}`,
    ),
    ...Object.entries(sysctls).map(([name, value]) => `kernel parameter ${quoted(`${name}=${value}`)}`),
    ...(oomScoreAdj < 0 ? [`others are ended before it when memory is short (${oomScoreAdj})`] : []),
    ...loggingText(logging),
  ]
}

/** Describes a volume that is yet to be created, if it is more than a directory of the engine's own. */
export function volumePower({ name, driver, driverOptions = {} }: Volume): readonly string[] {
  const options = optionsText(driverOptions)
  if (driver === undefined && options === '') return []
  return [`volume ${name}${driver === undefined ? '' : ` of the driver ${quoted(driver)}`}${options}`]
}

/** Log drivers that write only on the host itself. */
const localDrivers: readonly string[] = ['json-file', 'local', 'none', 'journald']

function deviceText({ host, container, permissions }: Device): string {
  const place = host === container ? '' : ` as ${quoted(container)}`
  return `device ${quoted(host)}${place}${permissions === 'rwm' ? '' : ` (${permissions})`}`
}

function hostMountText(mount: Mount): readonly string[] {
  if (mount.kind !== 'host') return []
  return [
    `${quoted(mount.source)} of the host at ${quoted(mount.path)}${mount.readOnly === true ? ', read-only' : ''}`,
  ]
}

function loggingText(logging: Container['logging']): readonly string[] {
  const driver = logging?.driver
  if (logging === undefined || driver === undefined || localDrivers.includes(driver)) return []
  return [`log driver ${quoted(driver)}${optionsText(logging.options)}`]
}

function optionsText(options: Readonly<Record<string, string>>): string {
  const texts = Object.entries(options).map(([name, value]) => quoted(`${name}=${value}`))
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`
}
