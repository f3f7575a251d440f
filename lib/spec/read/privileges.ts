import type { Container as Model } from '../../state/container.ts'
import type { Parsed } from '../../state/parsed.ts'
import { parsed } from '../../state/parsed.ts'
import type { Container } from '../application.gen.ts'
import { parseCapability } from '../grammar/capability.ts'
import { parseDevice } from '../grammar/device.ts'
import { isPresent, present } from '../present.ts'
import type { Spot } from '../spot.ts'
import { readPairs } from './pairs.ts'

/** What a container may do beyond others, or less: what the policy judges (G23). */
export type Privileges = Pick<
  Model,
  'privileged' | 'pid' | 'ipc' | 'capAdd' | 'capDrop' | 'securityOpt' | 'devices' | 'sysctls'
>

/** Reads them; lists are sorted and without repetition, so that another order is no difference (G2). */
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
    sysctls: sysctls === undefined ? undefined : readPairs(sysctls, spot.at('sysctls')),
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

/** One spelling for what the engine takes in three. */
function parseSecurityOption(text: string): Parsed<string> {
  return parsed(/^no-new-privileges([:=]true)?$/.test(text) ? 'no-new-privileges:true' : text)
}

function readDevices(written: readonly string[], spot: Spot): Model['devices'] {
  const devices = written.map((text, index) => spot.at(index).take(parseDevice(text))).filter(isPresent)
  return devices.sort((a, b) => (a.container < b.container ? -1 : 1))
}
