import { posix } from 'node:path'
import type { File, Container as Model, Mount } from '../../../state/application/container/container.ts'
import { Secret } from '../../../state/secret/secret.ts'
import { byText } from '../../../text/order.ts'
import type { Container, Mount as Written } from '../../application.gen.ts'
import { parsePath } from '../../grammar/path.ts'
import { parseTmpfs } from '../../grammar/tmpfs.ts'
import { present } from '../../present.ts'
import type { Spot } from '../../spot.ts'
import type { NamedFile } from './file-volumes.ts'
import { faultRights, type Rights, readRights } from './rights.ts'
import { faultHidden, faultTarget } from './targets.ts'
import { mountOf, type VolumeKind } from './volumes.ts'

/** What a container's file system has besides its image. */
export type Storage = Pick<Model, 'mounts' | 'files'>

/**
 * Reads `mounts` and `tmpfs` of a container, sorted by path, and the files that are written into them before the start
 * (G15). `alone`: the service has one instance, so that an old and a new one must not share a volume to which it writes
 * (D7). `shared`: its containers share ephemeral volumes.
 */
export function readMounts(
  written: Pick<Container, 'mounts' | 'tmpfs' | 'read_only'>,
  volumes: ReadonlyMap<string, VolumeKind | undefined>,
  use: { readonly alone: boolean; readonly shared: boolean },
  spot: Spot,
): Storage {
  const mounts: Mount[] = []
  const files: File[] = []
  const single: { readonly path: string; readonly at: Spot }[] = []
  const paths = new Set<string>()
  written.mounts?.forEach((mount, index) => {
    const at = spot.at('mounts', index)
    const kind = volumes.get(mount['volume-name'])
    if (!volumes.has(mount['volume-name']))
      at.at('volume-name').fault(`"${mount['volume-name']}" is no volume of the service`)
    if (mount.files === undefined) mountWhole(mount, kind, at)
    else mountFiles(mount, kind, at)
  })
  const lines = typeof written.tmpfs === 'string' ? [written.tmpfs] : (written.tmpfs ?? [])
  lines.forEach((line, index) => {
    const at = typeof written.tmpfs === 'string' ? spot.at('tmpfs') : spot.at('tmpfs', index)
    const mount = at.take(parseTmpfs(line))
    if (mount === undefined) return
    once('tmpfs', mount.path, at)
    mounts.push(mount)
  })
  for (const { path, at } of single) faultHidden(path, mounts, at)
  faultSize(files, spot.at('mounts'))
  return present({
    mounts: mounts.sort(byText(({ path }) => path)),
    files: files.sort(byText(({ path }) => path)),
  })

  function mountWhole(mount: Written, kind: VolumeKind | undefined, at: Spot): void {
    if (mount['read-only'] === true && kind !== undefined && kind.kind !== 'volume' && kind.kind !== 'host')
      at.at('read-only').fault('is for persistent and host volumes')
    if (mount['mount-path'] === undefined) {
      at.fault('needs "mount-path" or "files"')
      return
    }
    const path = at.at('mount-path').take(parsePath(mount['mount-path']))
    if (kind === undefined || path === undefined) return
    const readOnly = mount['read-only'] === true || (kind.kind === 'host' && kind.readOnly === true)
    once(kind.kind, path, at.at('mount-path'))
    mounts.push(mountOf(kind, path, { ...use, readOnly }))
    if (kind.kind === 'files') {
      const rights = readRights(mount, at)
      for (const file of kind.files) files.push(fileOf(file, posix.join(path, file.name), rights))
    } else faultRights(mount, at)
  }

  function mountFiles(mount: Written, kind: VolumeKind | undefined, at: Spot): void {
    if (mount['mount-path'] !== undefined)
      at.at('mount-path').fault('stands beside "files"; keep one of them')
    if (mount['read-only'] === true) at.at('read-only').fault('is for persistent and host volumes')
    if (written.read_only === true)
      at.at('files').fault(
        "would be written into the container's own file system, which is read-only; mount the whole volume with mount-path",
      )
    if (kind === undefined) return
    if (kind.kind !== 'files') {
      at.at('files').fault('is for config-map, vault-secret and secret volumes')
      return
    }
    const rights = readRights(mount, at)
    mount.files?.forEach((one, index) => {
      const place = at.at('files', index)
      const path = place.at('mount-path').take(parsePath(one['mount-path']))
      const file = kind.files.find(({ name }) => name === one.name) ?? kind.fileNamed?.(one.name)
      if (file === undefined) place.at('name').fault(`"${one.name}" is no file of "${mount['volume-name']}"`)
      if (path === undefined || file === undefined) return
      once('file', path, place.at('mount-path'))
      single.push({ path, at: place.at('mount-path') })
      files.push(fileOf(file, path, { ...rights, ...readRights(one, place) }))
    })
  }

  function once(kind: Mount['kind'] | 'file', path: string, at: Spot): void {
    faultTarget(kind, path, at)
    if (paths.has(path)) at.fault(`mounts a second thing at ${path}`)
    paths.add(path)
  }
}

/** Only the user of the container may read a secret, unless the mount says otherwise. */
function fileOf({ content }: NamedFile, path: string, rights: Rights): File {
  return { path, content, mode: content instanceof Secret ? 0o400 : 0o444, ...rights }
}

/** Files are sent to the engine with every start. Providers limit secrets themselves (G24). */
const mostBytes = 1024 * 1024

function faultSize(files: readonly File[], spot: Spot): void {
  const bytes = files.reduce(
    (sum, { content }) => sum + (typeof content === 'string' ? Buffer.byteLength(content) : 0),
    0,
  )
  if (bytes > mostBytes) spot.fault(`holds ${bytes} bytes in files, and 1 MiB is the most`)
}
