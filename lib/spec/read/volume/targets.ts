import type { Mount } from '../../../state/application/container/container.ts'
import { isWithin } from '../../../text/in-directory.ts'
import type { Spot } from '../../spot.ts'

/**
 * Notes a fault for a path where a container can have nothing of its own, or could not see it, because the kernel or
 * the engine puts something there. A directory or a file of the host, which the operator has to allow, may replace
 * that. Pods have no keys for what the engine writes.
 */
export function faultTarget(kind: Mount['kind'] | 'file', path: string, spot: Spot, of?: 'pod'): void {
  if (kind === 'host') return
  const key = written.get(path)
  const keys = of === 'pod' ? '' : `; ${key}`
  if (key !== undefined) spot.fault(`is ${path}, which the engine writes anew at every start${keys}`)
  else if (isWithin(path, '/proc') || (isWithin(path, '/sys') && kind !== 'tmpfs'))
    spot.fault(`is ${path}, where the kernel shows what is its own`)
  else if (path === '/dev' || (isWithin(path, '/dev') && kind === 'file'))
    spot.fault(`is ${path}, where the engine puts the devices of the container`)
}

/** Files that the engine writes for every container, and the keys that decide about their content. */
const written: ReadonlyMap<string, string> = new Map([
  ['/etc/hosts', '"extra_hosts" adds to it'],
  ['/etc/hostname', '"hostname" stands in it'],
  ['/etc/resolv.conf', '"dns", "dns_search" and "dns_opt" stand in it'],
])

/**
 * Notes a fault for a single file below an in-memory mount: it is written before the start, and nobody would ever see
 * it.
 */
export function faultHidden(path: string, mounts: readonly Mount[], spot: Spot): void {
  const [around] = mounts
    .filter(mount => isWithin(path, mount.path))
    .sort((a, b) => b.path.length - a.path.length)
  if (around?.kind === 'tmpfs')
    spot.fault(
      `is ${path}, and what is in memory at ${around.path} hides it; mount the whole volume with mount-path`,
    )
}
