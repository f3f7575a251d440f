import type { Container as Model } from '../../state/application/container/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { byText } from '../../text/order.ts'
import type { Container } from '../application.gen.ts'
import { parseCapability } from '../grammar/capability.ts'
import { parseDevice } from '../grammar/device.ts'
import { isOfIpc, isParameterName, isParameterValue } from '../kernel-parameters.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'
import { readPairs } from './value/pairs.ts'

/** What a container may do beyond others, or less. The policy judges it (G23). */
export type Privileges = Pick<
  Model,
  'privileged' | 'pid' | 'ipc' | 'capAdd' | 'capDrop' | 'securityOpt' | 'devices' | 'sysctls'
>

/** Reads privileges. Lists are sorted and without duplicates, so that another order is no difference (G2). */
export function readPrivileges(written: Container, spot: Spot): Privileges {
  const { sysctls, devices } = written
  return present({
    privileged: written.privileged === true ? true : undefined,
    pid: written.pid,
    ipc: written.ipc,
    capAdd: readSet(written.cap_add, parseCapability, spot.at('cap_add')),
    capDrop: readSet(written.cap_drop, parseCapability, spot.at('cap_drop')),
    securityOpt: readSet(written.security_opt, parseSecurityOption, spot.at('security_opt')),
    devices: devices === undefined ? undefined : readDevices(devices, spot.at('devices')),
    sysctls: sysctls === undefined ? undefined : readSysctls(sysctls, written.ipc, spot.at('sysctls')),
  })
}

function readSet(
  written: readonly string[] | undefined,
  parse: (text: string) => Parsed<string>,
  spot: Spot,
): readonly string[] | undefined {
  const values = written?.map((text, index) => spot.at(index).take(parse(text))).filter(isPresent)
  return values === undefined || values.length === 0 ? undefined : [...new Set(values)].sort()
}

/** Returns one spelling for what the engine accepts in three. */
function parseSecurityOption(text: string): Parsed<string> {
  if (/^no-new-privileges([:=]true)?$/.test(text)) return parsed('no-new-privileges:true')
  const [, name = '', value = ''] = /^([a-z-]+)[:=](.*)$/s.exec(text) ?? []
  if (name === 'systempaths')
    return malformed(`"${text}" is read by Docker's own command alone, and no engine knows it`)
  if (!securityOptions.includes(name))
    return malformed(`"${text}" is no security option; there are ${securityOptions.join(', ')}`)
  if (name === 'seccomp' && !/^(unconfined|builtin|\s*\{.*)$/s.test(value))
    return malformed(
      `"${text}" names a file, which no engine reads; write what stands in it behind "seccomp="`,
    )
  return parsed(text)
}

const securityOptions = ['no-new-privileges', 'apparmor', 'label', 'seccomp', 'writable-cgroups']

/**
 * Reads kernel parameters by their names. With the IPC namespace of the host, those of IPC are not the container's to
 * set.
 */
function readSysctls(
  written: NonNullable<Container['sysctls']>,
  ipc: Container['ipc'],
  spot: Spot,
): Readonly<Record<string, string>> {
  const { 'kernel.hostname': hostname, ...read } = readPairs(written, spot)
  if (hostname !== undefined) spot.fault('sets kernel.hostname, which no engine takes; write "hostname"')
  for (const [name, value] of Object.entries(read)) {
    if (!isParameterName(name))
      spot.fault(`has "${name}", which is no kernel parameter; write for example net.core.somaxconn`)
    if (!isParameterValue(value))
      spot.fault(`gives ${name} more than one line, which the kernel does not take`)
    if (ipc === 'host' && isOfIpc(name)) spot.fault(`sets ${name} beside "ipc: host", where it is the host's`)
  }
  return read
}

function readDevices(written: readonly string[], spot: Spot): Model['devices'] {
  const devices = written.map((text, index) => spot.at(index).take(parseDevice(text))).filter(isPresent)
  return devices.sort(byText(({ container }) => container))
}
