import type { Mount } from '../../state/application/container.ts'
import { byText } from '../../text/order.ts'
import { isWithin } from '../../text/within.ts'
import { parsePath } from '../grammar/path.ts'
import { faultTarget } from '../read/targets.ts'
import type { Spot } from '../spot.ts'
import type { PodPlace } from './place.ts'
import type { PodApp, Volume } from './pod.gen.ts'

/** The volumes of a pod, by name, after their own faults were noted (C20, C21). */
export function readPodVolumes(volumes: readonly Volume[], spot: Spot): ReadonlyMap<string, Volume> {
  const byName = new Map<string, Volume>()
  volumes.forEach((volume, index) => {
    const place = spot.at(index)
    if (byName.has(volume.name)) place.at('name').fault(`is "${volume.name}" a second time`)
    faultVolume(volume, place)
    byName.set(volume.name, volume)
  })
  return byName
}

function faultVolume({ kind, source, ...rights }: Volume, place: Spot): void {
  if (kind === 'host' && source === undefined) place.fault('is of the kind host, and needs a "source"')
  if (kind === 'empty' && source !== undefined)
    place.at('source').fault('is for volumes of the kind host; an empty one has none')
  if (kind === 'host' && source !== undefined) place.at('source').take(parsePath(source))
  for (const key of ['mode', 'uid', 'gid'] as const)
    if (kind === 'host' && rights[key] !== undefined)
      place.at(key).fault('is for empty volumes; a directory of the host has its own')
}

/**
 * Returns what an app mounts, sorted by path (C22). First its `mounts`: an `appVolume` goes before the volume of that
 * name. Then each mount point whose path is still free gets the volume of its name, or else an empty one of its own,
 * with a warning (D12).
 */
export function readPodMounts(
  { name: app, app: itself, mounts = [] }: PodApp,
  volumes: ReadonlyMap<string, Volume>,
  { invalid: spot, changed: warn }: PodPlace,
): readonly Mount[] {
  const { mountPoints = [] } = itself ?? {}
  const found: { readonly mount: Mount; readonly place: Spot }[] = []
  const readOnlyPoints = new Set(mountPoints.filter(point => point.readOnly).map(point => point.name))
  mounts.forEach(({ volume: name, path: written, appVolume }, index) => {
    const place = spot.at('mounts', index)
    if (appVolume !== undefined) faultVolume(appVolume, place.at('appVolume'))
    const volume = appVolume ?? volumes.get(name)
    if (volume === undefined) place.at('volume').fault(`"${name}" is no volume of the pod`)
    const path = place.at('path').take(parsePath(written))
    if (volume === undefined || path === undefined) return
    const readOnly = volume.readOnly ?? readOnlyPoints.has(name)
    const mount = mountOf(volume, appVolume === undefined ? name : `${app}.${volume.name}`, path, readOnly)
    if (mount !== undefined) found.push({ mount, place: place.at('path') })
  })
  const taken = new Set(found.map(({ mount }) => mount.path))
  mountPoints.forEach(({ name, path: written, readOnly = false }, index) => {
    const place = spot.at('app', 'mountPoints', index)
    const path = place.at('path').take(parsePath(written))
    if (path === undefined || taken.has(path)) return
    const volume = volumes.get(name)
    if (volume === undefined)
      warn
        .at('app', 'mountPoints', index)
        .fault(`"${name}" has no volume in the pod, so it gets an empty one of its own`)
    const mount =
      volume === undefined
        ? mountOf({ name, kind: 'empty' }, `${app}.${name}`, path, readOnly)
        : mountOf(volume, name, path, volume.readOnly ?? readOnly)
    if (mount !== undefined) found.push({ mount, place: place.at('path') })
  })
  for (const { mount, place } of found) faultTarget(mount.kind, mount.path, place)
  faultOverlaps(found)
  return found.map(({ mount }) => mount).sort(byText(({ path }) => path))
}

/** @param name the name of an empty volume in its instance: the pod's by their own, and those of one app with a dot */
function mountOf(
  { kind, source, recursive, mode, uid, gid }: Volume,
  name: string,
  path: string,
  readOnly: boolean,
): Mount | undefined {
  const rights = readOnly ? { readOnly } : {}
  if (kind === 'empty') {
    const root = {
      mode: Number.parseInt(mode ?? usual.mode, 8),
      uid: uid ?? usual.uid,
      gid: gid ?? usual.gid,
    }
    return { kind: 'ephemeral', path, name, ...rights, root }
  }
  const parsed = source === undefined ? undefined : parsePath(source)
  if (parsed?.ok !== true) return undefined
  return {
    kind: 'host',
    source: parsed.value,
    path,
    ...rights,
    ...(recursive === false ? { recursive } : {}),
  }
}

/** The permissions and the owner of an empty volume, if the manifest says nothing of them (C21). */
const usual = { mode: '0755', uid: 0, gid: 0 } as const

/** What is mounted within another mount would be hidden by it, or hide a part of it (C24). */
function faultOverlaps(found: readonly { readonly mount: Mount; readonly place: Spot }[]): void {
  const sorted = found.toSorted(byText(({ mount }) => mount.path))
  sorted.forEach(({ mount: { path }, place }, index) => {
    const around = sorted.slice(0, index).find(({ mount }) => isWithin(path, mount.path))
    if (around === undefined) return
    place.fault(
      around.mount.path === path
        ? `mounts a second thing at ${path}`
        : `is within ${around.mount.path}, where something else is mounted`,
    )
  })
}
