import type { Mount } from '../../state/container.ts'
import type { Spot } from '../spot.ts'

/**
 * Faults a path at which nothing of a container can stand, or be seen: what the kernel and the engine put there
 * themselves. A directory or a file of the host, which the operator has to allow, may take its place.
 */
export function faultTarget(kind: Mount['kind'] | 'file', path: string, spot: Spot): void {
  if (kind === 'host') return
  const key = written.get(path)
  if (key !== undefined) spot.fault(`is ${path}, which the engine writes anew at every start; ${key}`)
  else if (isAt('/proc', path) || (isAt('/sys', path) && kind !== 'tmpfs'))
    spot.fault(`is ${path}, where the kernel shows what is its own`)
  else if (path === '/dev' || (isAt('/dev', path) && kind === 'file'))
    spot.fault(`is ${path}, where the engine puts the devices of the container`)
}

/** Files that the engine makes for every container, and what decides of them. */
const written: ReadonlyMap<string, string> = new Map([
  ['/etc/hosts', '"extra_hosts" adds to it'],
  ['/etc/hostname', '"hostname" stands in it'],
  ['/etc/resolv.conf', '"dns", "dns_search" and "dns_opt" stand in it'],
])

/** Faults a single file where memory is mounted over it: it is written before the start, and nobody would ever see it. */
export function faultHidden(path: string, mounts: readonly Mount[], spot: Spot): void {
  const [around] = mounts
    .filter(mount => isAt(mount.path, path))
    .sort((a, b) => b.path.length - a.path.length)
  if (around?.kind === 'tmpfs')
    spot.fault(
      `is ${path}, and what is in memory at ${around.path} hides it; mount the whole volume with mount-path`,
    )
}

function isAt(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}
