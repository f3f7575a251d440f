import type { Mount } from '../../state/container.ts'
import type { Container } from '../application.gen.ts'
import { parsePath } from '../grammar/path.ts'
import { parseTmpfs } from '../grammar/tmpfs.ts'
import { isPresent } from '../present.ts'
import type { Spot } from '../spot.ts'
import { mountOf, type VolumeKind } from './volumes.ts'

/**
 * `mounts` and `tmpfs` of a container, sorted by path. `alone`: the service has one instance, so that a volume it
 * writes to must not be shared by an old and a new one (D7).
 */
export function readMounts(
  written: Container,
  volumes: ReadonlyMap<string, VolumeKind>,
  alone: boolean,
  spot: Spot,
): readonly Mount[] | undefined {
  if (written.mounts === undefined && written.tmpfs === undefined) return undefined
  const paths = new Set<string>()
  const mounts = [...volumeMounts(), ...tmpfsMounts()].filter(isPresent)
  return mounts.sort((a, b) => (a.path < b.path ? -1 : 1))

  function volumeMounts(): (Mount | undefined)[] {
    return (written.mounts ?? []).map((mount, index) => {
      const at = spot.at('mounts', index)
      const kind = volumes.get(mount['volume-name'])
      if (kind === undefined)
        at.at('volume-name').fault(`"${mount['volume-name']}" is no volume of the service`)
      if (mount['read-only'] === true && (kind?.kind === 'ephemeral' || kind?.kind === 'tmpfs'))
        at.at('read-only').fault('is for persistent and host volumes')
      const path = at.at('mount-path').take(parsePath(mount['mount-path']))
      if (kind === undefined || path === undefined) return undefined
      const readOnly = mount['read-only'] === true || (kind.kind === 'host' && kind.readOnly === true)
      return once(mountOf(kind, path, { readOnly, alone }), at.at('mount-path'))
    })
  }

  function tmpfsMounts(): (Mount | undefined)[] {
    const lines = typeof written.tmpfs === 'string' ? [written.tmpfs] : (written.tmpfs ?? [])
    return lines.map((line, index) => {
      const at = typeof written.tmpfs === 'string' ? spot.at('tmpfs') : spot.at('tmpfs', index)
      const mount = at.take(parseTmpfs(line))
      return mount === undefined ? undefined : once(mount, at)
    })
  }

  function once(mount: Mount, at: Spot): Mount {
    if (paths.has(mount.path)) at.fault(`mounts a second thing at ${mount.path}`)
    paths.add(mount.path)
    return mount
  }
}
