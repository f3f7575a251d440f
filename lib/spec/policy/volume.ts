import type { Volume } from '../../state/application/volume.ts'
import { allowBy } from './allow-by.ts'
import { judgeHostPath } from './host-path.ts'
import { type PolicyRefusal, pathFault } from './path-fault.ts'
import type { Policy } from './policy.ts'
import { serverName, volumeReach } from './volume-reach.ts'

/**
 * Returns why a persistent volume is refused; undefined if it is not. The operator vouches for what an allowed driver
 * does with its options.
 */
export function volumeViolation(
  { driver, driverOptions = {} }: Volume,
  policy: Policy,
): PolicyRefusal | undefined {
  if (driver !== undefined)
    return policy.volumeDrivers.includes(driver)
      ? undefined
      : { reason: `uses the volume driver "${driver}"${allowBy(`volumeDrivers: [${driver}]`)}` }
  const reach = volumeReach(driverOptions)
  switch (reach.to) {
    case 'nothing':
      return undefined
    case 'host':
      return pathFault(judgeHostPath(reach.path, policy.hostMounts), ' by its driver_opts')
    case 'servers': {
      const allowed = policy.remoteVolumes.map(serverName)
      const server = reach.servers.find(name => !allowed.includes('*') && !allowed.includes(name))
      return server === undefined
        ? undefined
        : { reason: `mounts a share of another machine, ${server}${allowBy(`remoteVolumes: [${server}]`)}` }
    }
    case 'elsewhere':
      return {
        reason:
          'mounts a file system of the host by its driver_opts, which is never allowed; a directory is mounted with "type: none, o: bind", a share with "type: nfs" or "type: cifs" and its server in "o: addr=…"',
        hint: 'Leave "driver_opts" out, or write them as the message says.',
      }
  }
}

/**
 * Returns the volume with the directory of the host that it binds, if it binds one, and the allowed directory around
 * it.
 */
export function volumeWithinAllowed(volume: Volume, { hostMounts }: Policy): Volume {
  const { driver, driverOptions = {} } = volume
  const reach = volumeReach(driverOptions)
  if (driver !== undefined || reach.to !== 'host') return volume
  const judged = judgeHostPath(reach.path, hostMounts)
  return judged.state === 'allowed'
    ? { ...volume, binds: { path: judged.path, within: judged.within, allowed: hostMounts } }
    : volume
}
