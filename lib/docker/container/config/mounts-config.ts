import type { ContainerPlace, Provenance } from '../../../plan/step/container-place.ts'
import type { Mount } from '../../../state/application/container/container.ts'
import { label } from '../../../state/labels.ts'
import { ownLabels } from '../../ownership.ts'
import { type ContainerConfig, defined } from './defined.ts'
import { volumelessMount } from './volumeless-mount.ts'

/**
 * Returns what the engine mounts into a container, for its `HostConfig`. Never `Binds`: they would create a missing
 * directory on the host (C20).
 */
export function mountsConfig(
  mounts: readonly Mount[],
  placement: ContainerPlace,
  provenance: Provenance,
): ContainerConfig {
  const own = mounts.filter(isOfTmpfs)
  return {
    Mounts: mounts.filter(mount => !isOfTmpfs(mount)).map(mount => mountOf(mount, placement, provenance)),
    ...(own.length === 0
      ? {}
      : { Tmpfs: Object.fromEntries(own.map(mount => [mount.path, tmpfsOptions(mount)])) }),
  }
}

function mountOf(mount: Mount, placement: ContainerPlace, provenance: Provenance): ContainerConfig {
  switch (mount.kind) {
    case 'volume':
      return defined({
        Type: 'volume',
        Source: mount.volume,
        Target: mount.path,
        ReadOnly: mount.readOnly,
        VolumeOptions: volumeOptions(mount.volume, placement, provenance),
      })
    case 'ephemeral':
      return mount.name === undefined
        ? {
            Type: 'volume',
            Target: mount.path,
            VolumeOptions: { Labels: ephemeralLabels(placement, provenance) },
          }
        : defined({
            Type: 'volume',
            Source: ephemeralVolume(placement.instanceName, mount.name),
            Target: mount.path,
            ReadOnly: mount.readOnly,
            VolumeOptions: { NoCopy: true, Labels: ephemeralLabels(placement, provenance) },
          })
    case 'files':
      return {
        Type: 'volume',
        Target: mount.path,
        VolumeOptions: { NoCopy: true, Labels: ephemeralLabels(placement, provenance) },
      }
    case 'tmpfs':
    case 'host':
      return volumelessMount(mount)
  }
}

/** By these labels it is found if somebody removed the containers that it was made for. */
function ephemeralLabels(
  { application, instanceName }: ContainerPlace,
  provenance: Provenance,
): Record<string, string> {
  return { ...ownLabels(provenance, application), [label.ephemeral]: instanceName }
}

/** How the engine makes a named volume if it is gone: as the step that creates volumes does. */
function volumeOptions(
  name: string,
  { volumes = [], application }: ContainerPlace,
  provenance: Provenance,
): ContainerConfig {
  const { driver, driverOptions } = volumes.find(volume => volume.name === name) ?? {}
  return defined({
    Labels: ownLabels(provenance, application),
    DriverConfig:
      driver === undefined && driverOptions === undefined
        ? undefined
        : defined({ Name: driver, Options: driverOptions }),
  })
}

type TmpfsMount = Extract<Mount, { kind: 'tmpfs' }>

/** Older engines accept an owner, and the right to run programs, in only one of two places. */
function isOfTmpfs(mount: Mount): mount is TmpfsMount {
  return (
    mount.kind === 'tmpfs' && (mount.uid !== undefined || mount.gid !== undefined || mount.exec !== undefined)
  )
}

function tmpfsOptions({ sizeBytes, mode, uid, gid, exec }: TmpfsMount): string {
  const given = { size: sizeBytes, mode: mode?.toString(8), uid, gid }
  const options = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  )
  return [...options, ...(exec ? ['exec'] : [])].join(',')
}

/** Returns the name of a volume that the containers of one instance share, and that is removed with its sandbox. */
export function ephemeralVolume(instance: string, name: string): string {
  return `${instance}.${name}`
}

/** Whether a volume has a name as the ephemeral volumes of an instance have: its own, or one that the engine chose. */
export function isEphemeralName(name: string, instance: string): boolean {
  return name.startsWith(ephemeralVolume(instance, '')) || /^[0-9a-f]{64}$/.test(name)
}
