import type { Container, Mount, TmpfsOptions } from '../../../state/application/container/container.ts'
import type { Volume } from '../../../state/application/volume.ts'
import type { Secrets } from '../../../state/secret/secrets.ts'
import { byText } from '../../../text/order.ts'
import type { Service as WrittenService, Volume as WrittenVolume } from '../../application.gen.ts'
import { parseBytes } from '../../grammar/bytes.ts'
import { parsePath } from '../../grammar/path.ts'
import { present } from '../../present.ts'
import type { Spot } from '../../spot.ts'
import { readPairs } from '../value/pairs.ts'
import { readConfigMap, readSecretItems, readVault, type VolumeFiles } from './file-volumes.ts'
import { readRights } from './rights.ts'

/** A volume of a service, before it is mounted anywhere. */
export type VolumeKind =
  | { readonly kind: 'volume'; readonly volume: Volume }
  | { readonly kind: 'ephemeral'; readonly name: string }
  | ({ readonly kind: 'tmpfs' } & TmpfsOptions)
  | { readonly kind: 'host'; readonly source: string; readonly readOnly?: boolean }
  | ({ readonly kind: 'files' } & VolumeFiles)

/** The owner of volumes. Persistent ones are named `<environment>.<application>.<volume>` on the engine (A48). */
export type VolumeOwner = { readonly environment: string; readonly application: string }

/** Returns the name of a persistent volume on the engine. */
export function volumeName({ environment, application }: VolumeOwner, volume: string): string {
  return `${environment}.${application}.${volume}`
}

/**
 * Reads the volumes of a service by name; undefined for one with a fault. `warn` receives a size that Docker does not
 * enforce.
 */
export function readVolumes(
  written: NonNullable<WrittenService['volumes']>,
  owner: VolumeOwner,
  secrets: Secrets,
  spot: Spot,
  warn: Spot,
): ReadonlyMap<string, VolumeKind | undefined> {
  const volumes = new Map<string, VolumeKind | undefined>()
  written.forEach((volume, index) => {
    if (volumes.has(volume.name)) spot.at(index, 'name').fault(`names a second volume "${volume.name}"`)
    volumes.set(volume.name, readVolume(volume, owner, secrets, spot.at(index), warn.at(index)))
  })
  return volumes
}

/** How a container uses a volume. */
export type Use = {
  readonly readOnly: boolean
  /** Whether the service has one instance (D7). */
  readonly alone: boolean
  /** Whether other containers of the instance see the same ephemeral volume. */
  readonly shared: boolean
}

/** Returns the mount of a volume at a path of a container. */
export function mountOf(kind: VolumeKind, path: string, use: Use): Mount {
  const readOnly = use.readOnly ? { readOnly: true } : {}
  switch (kind.kind) {
    case 'volume':
      return {
        kind: 'volume',
        volume: kind.volume.name,
        path,
        ...readOnly,
        exclusive: use.alone && !use.readOnly,
      }
    case 'ephemeral':
      return { kind: 'ephemeral', path, ...(use.shared ? { name: kind.name } : {}) }
    case 'tmpfs':
      return { ...kind, path }
    case 'host':
      return { ...kind, path, ...readOnly }
    case 'files':
      return { kind: 'files', path }
  }
}

/** Returns the persistent volumes that containers mount, by name. */
export function mountedVolumes(
  containers: readonly Container[],
  volumes: ReadonlyMap<string, VolumeKind | undefined>,
): readonly Volume[] {
  const mounted = new Set(
    containers.flatMap(({ mounts = [] }) =>
      mounts.map(mount => (mount.kind === 'volume' ? mount.volume : '')),
    ),
  )
  return [...volumes.values()]
    .flatMap(kind => (kind?.kind === 'volume' && mounted.has(kind.volume.name) ? [kind.volume] : []))
    .sort(byText(({ name }) => name))
}

const kinds = [
  'persistent-volume',
  'ephemeral-volume',
  'tmpfs',
  'config-map',
  'vault-secret',
  'secret',
  'host',
] as const

function readVolume(
  written: WrittenVolume,
  owner: VolumeOwner,
  secrets: Secrets,
  spot: Spot,
  warn: Spot,
): VolumeKind | undefined {
  const given = kinds.filter(kind => written[kind] !== undefined)
  const [kind] = given
  if (kind === undefined || given.length > 1) {
    spot.fault(`needs exactly one of ${kinds.join(', ')}`)
    return undefined
  }
  switch (kind) {
    case 'persistent-volume':
      return { kind: 'volume', volume: readPersistent(written, owner, spot.at(kind)) }
    case 'ephemeral-volume': {
      const size = written[kind]?.size
      if (size !== undefined && spot.at(kind, 'size').take(parseBytes(size)) !== undefined)
        warn.at(kind, 'size').fault('is not enforced by Docker')
      return { kind: 'ephemeral', name: written.name }
    }
    case 'tmpfs': {
      const { size, exec } = written.tmpfs ?? {}
      return {
        kind,
        ...readRights(written.tmpfs ?? {}, spot.at(kind)),
        ...present({
          sizeBytes: size === undefined ? undefined : spot.at(kind, 'size').take(parseBytes(size)),
          exec: exec === true ? exec : undefined,
        }),
      }
    }
    case 'config-map':
      return { kind: 'files', files: readConfigMap(written[kind]?.items ?? [], spot.at(kind, 'items')) }
    case 'vault-secret': {
      const { vault = '', secret = '' } = written[kind] ?? {}
      return { kind: 'files', ...readVault(vault, secret, secrets, spot.at(kind)) }
    }
    case 'secret':
      return {
        kind: 'files',
        files: readSecretItems(written[kind]?.items ?? [], secrets, spot.at(kind, 'items')),
      }
    case 'host': {
      const source = spot.at(kind, 'path').take(parsePath(written.host?.path ?? ''))
      if (source === undefined) return undefined
      return {
        kind,
        source,
        ...(written.host?.['read-only'] ? { readOnly: true } : {}),
      }
    }
  }
}

function readPersistent(written: WrittenVolume, owner: VolumeOwner, spot: Spot): Volume {
  const { driver, driver_opts: options } = written['persistent-volume'] ?? {}
  const at = spot.at('driver_opts')
  const driverOptions = options === undefined ? undefined : readPairs(options, at)
  if (driver === undefined || driver === 'local') faultLocalOptions(driverOptions ?? {}, at)
  return {
    name: volumeName(owner, written.name),
    application: owner.application,
    ...present({
      driver: driver === 'local' ? undefined : driver,
      driverOptions,
    }),
  }
}

/**
 * Notes a fault for options that the engine's own driver does not know, or not one without the other. The policy judges
 * where they lead.
 */
function faultLocalOptions(options: Readonly<Record<string, string>>, spot: Spot): void {
  for (const name of Object.keys(options))
    if (!localOptions.includes(name))
      spot.at(name).fault(`is no option of the local driver; there are ${localOptions.join(', ')}`)
  const { type = '', device = '', o = '', size } = options
  // 0 stands for no limit.
  if (size !== undefined && size !== '0') spot.at('size').take(parseBytes(size))
  if (type + device + o !== '' && (type === '' || device === ''))
    spot.fault(`needs "${type === '' ? 'type' : 'device'}", too`)
}

const localOptions = ['type', 'device', 'o', 'size']
