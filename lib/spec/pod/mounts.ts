import type { Mount } from '../../state/application/container/container.ts'
import { isWithin } from '../../text/in-directory.ts'
import { byText } from '../../text/order.ts'
import { parsePath } from '../grammar/path.ts'
import { faultTarget } from '../read/volume/targets.ts'
import type { Spot } from '../spot.ts'
import { freeName } from './grammar/free-name.ts'
import type { PodPlace } from './place.ts'
import type { App, PodApp, Volume } from './pod.gen.ts'

/** A volume of a pod, and where it is written. */
export type PlacedVolume = { readonly volume: Volume; readonly spot: Spot }

/** The volumes of a pod, by name, after their own faults were noted (C20, C21). */
export function readPodVolumes(volumes: readonly Volume[], spot: Spot): ReadonlyMap<string, PlacedVolume> {
  const byName = new Map<string, PlacedVolume>()
  volumes.forEach((volume, index) => {
    const place = spot.at(index)
    if (byName.has(volume.name)) place.at('name').fault(`is "${volume.name}" a second time`)
    faultVolume(volume, place)
    byName.set(volume.name, { volume, spot: place })
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

type MountPoints = readonly Readonly<NonNullable<App['mountPoints']>[number]>[]

/** What an app mounts somewhere, and why. */
export type PodMount = {
  readonly path: string
  readonly readOnly: boolean
  /** The volume; one of the pod, or one of this mount alone. */
  readonly volume: Volume
  /** `implicit`: no volume fits the mount point, so an empty one is made for it (D12). */
  readonly from: 'pod' | 'mount' | 'implicit'
  readonly place: Spot
  /** Where the volume is described. */
  readonly described: Spot
}

/**
 * Returns what an app mounts (C22). First its `mounts`: an `appVolume` goes before the volume of that name. Then each
 * mount point whose path is still free gets the volume of its name, or else an empty one of its own, with a warning
 * (D12).
 * @param declared the mount points of its image, which count if the app has no section of its own (C5)
 */
export function readPodMounts(
  { app: itself, mounts = [] }: Pick<PodApp, 'app' | 'mounts'>,
  {
    volumes,
    declared,
  }: { readonly volumes: ReadonlyMap<string, PlacedVolume>; readonly declared?: MountPoints },
  { invalid: spot, unrunnable, changed: warn, isLeftOut }: PodPlace,
): readonly PodMount[] {
  const mountPoints = itself === undefined ? (declared ?? []) : (itself.mountPoints ?? [])
  const found: PodMount[] = []
  const readOnlyPoints = new Set(mountPoints.filter(point => point.readOnly).map(point => point.name))
  mounts.forEach(({ volume: name, path: written, appVolume }, index) => {
    const place = spot.at('mounts', index)
    if (appVolume !== undefined) faultVolume(appVolume, place.at('appVolume'))
    if (appVolume !== undefined) faultOtherRights(appVolume, found, place.at('appVolume'))
    const known = volumes.get(name)
    const volume = appVolume ?? known?.volume
    if (volume === undefined) place.at('volume').fault(`"${name}" is no volume of the pod`)
    const path = place.at('path').take(parsePath(written))
    if (volume === undefined || path === undefined) return
    const readOnly = volume.readOnly ?? readOnlyPoints.has(name)
    const from = appVolume === undefined ? 'pod' : 'mount'
    const described = appVolume === undefined ? known?.spot : place.at('appVolume')
    found.push({ path, readOnly, volume, from, place: place.at('path'), described: described ?? place })
  })
  const taken = new Set(found.map(({ path }) => path))
  const ownNames = new Set(found.flatMap(({ volume, from }) => (from === 'mount' ? [volume.name] : [])))
  mountPoints.forEach(({ name, path: written, readOnly = false }, index) => {
    const place =
      itself === undefined
        ? ofImage(unrunnable.at('image'), written)
        : spot.at('app', 'mountPoints', index, 'path')
    const path = place.take(parsePath(written))
    if (path === undefined || taken.has(path)) return
    const known = volumes.get(name)
    if (known === undefined && itself === undefined)
      warn.fault(`has an image that expects a volume at ${written}, and gets an empty one of its own there`)
    if (known === undefined && itself !== undefined && !isLeftOut('mounts'))
      warn
        .at('app', 'mountPoints', index)
        .fault(`"${name}" has no volume in the pod, so it gets an empty one of its own`)
    const volume = known?.volume ?? { name: freeName(name, ownNames, 2), kind: 'empty' as const }
    ownNames.add(volume.name)
    const from = known === undefined ? 'implicit' : 'pod'
    const described = known?.spot ?? place
    found.push({ path, readOnly: volume.readOnly ?? readOnly, volume, from, place, described })
  })
  for (const { volume, path, place } of found) faultTarget(kinds[volume.kind], path, place, 'pod')
  faultOverlaps(found)
  return found
}

/** Mounts of one app whose own empty volumes have one name share a directory, which has one mode and one owner. */
function faultOtherRights(volume: Volume, found: readonly PodMount[], place: Spot): void {
  const same = found.find(
    ({ from, volume: { name, kind } }) => from === 'mount' && kind === 'empty' && name === volume.name,
  )
  if (same === undefined || volume.kind !== 'empty') return
  const [one, other] = [rightsOf(same.volume), rightsOf(volume)]
  if (
    Number.parseInt(one.mode, 8) === Number.parseInt(other.mode, 8) &&
    one.uid === other.uid &&
    one.gid === other.gid
  )
    return
  place.fault(`is "${volume.name}" a second time, with other permissions or another owner`)
}

/** The place of an image, where faults tell which of its volumes they are about. */
function ofImage(image: Spot, path: string): Spot {
  const fault: Spot['fault'] = (reason, code) => image.fault(`expects a volume at ${path}: ${reason}`, code)
  return {
    ...image,
    fault,
    take: result => {
      if (result.ok) return result.value
      fault(result.reason)
      return undefined
    },
  }
}

const kinds = { empty: 'ephemeral', host: 'host' } as const

/**
 * Returns how the container of an app mounts them, sorted by path. Empty volumes of the pod have their own name in the
 * instance, and those of one app a name with a dot.
 */
export function mountsOfContainer(app: string, mounts: readonly PodMount[]): readonly Mount[] {
  return mounts.flatMap(mount => mountInContainer(app, mount)).sort(byText(({ path }) => path))
}

/** Returns how the container of an app mounts one of them; nothing if a fault was noted. */
export function mountInContainer(
  app: string,
  { path, readOnly: isReadOnly, volume, from }: PodMount,
): readonly Mount[] {
  const { name, kind, source, recursive } = volume
  const readOnly = isReadOnly ? { readOnly: true } : {}
  if (kind === 'empty') {
    const { mode, uid, gid } = rightsOf(volume)
    const root = { mode: Number.parseInt(mode, 8), uid, gid }
    return [{ kind: 'ephemeral', path, name: from === 'pod' ? name : `${app}.${name}`, ...readOnly, root }]
  }
  const parsed = source === undefined ? undefined : parsePath(source)
  if (parsed?.ok !== true) return []
  const flat = recursive === false ? { recursive } : {}
  return [{ kind: 'host', source: parsed.value, path, ...readOnly, ...flat }]
}

/** Returns the permissions and the owner that an empty volume has (C21). */
export function rightsOf({ mode = usual.mode, uid = usual.uid, gid = usual.gid }: Volume): {
  readonly mode: string
  readonly uid: number
  readonly gid: number
} {
  return { mode, uid, gid }
}

/** The permissions and the owner of an empty volume, if the manifest says nothing of them (C21). */
const usual = { mode: '0755', uid: 0, gid: 0 } as const

/** What is mounted within another mount would be hidden by it, or hide a part of it (C24). */
function faultOverlaps(found: readonly PodMount[]): void {
  const sorted = found.toSorted(byText(({ path }) => path))
  sorted.forEach(({ path, place }, index) => {
    const around = sorted.slice(0, index).find(other => isWithin(path, other.path))
    if (around === undefined) return
    place.fault(
      around.path === path
        ? `mounts a second thing at ${path}`
        : `is within ${around.path}, where something else is mounted`,
    )
  })
}
