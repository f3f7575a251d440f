import type { Mount } from '../../../../../lib/state/application/container/container.ts'
import type { Built } from './outcome.ts'

/** A mount in words: what is mounted, where, and whether it is only read. */
function told(mount: Mount): string {
  const source =
    mount.kind === 'host' ? mount.source : mount.kind === 'ephemeral' ? `(${mount.name})` : mount.kind
  const readOnly = 'readOnly' in mount && mount.readOnly === true ? ' read-only' : ''
  const flat = 'recursive' in mount && mount.recursive === false ? ' flat' : ''
  return `${source} at ${mount.path}${readOnly}${flat}`
}
/** The mounts of each app in such words. */
export const mountsOf = ({ apps }: Built) => apps.map(({ mounts = [] }) => mounts.map(told))
