import type { Tree } from './image/files.ts'
import type { Events } from './server/events.ts'
import { type Filters, hasLabels, matchesAny } from './server/filters.ts'
import { newId } from './server/ids.ts'
import type { Moment } from './server/moment.ts'
import { conflict, missing } from './server/refusal.ts'

export type Volume = {
  readonly name: string
  readonly created: Moment
  readonly labels: Readonly<Record<string, string>> | null
  readonly options: Readonly<Record<string, string>> | null
  readonly tree: Tree
  /** The containers that it is mounted into, running or not. */
  readonly users: Set<string>
}

export type VolumeBody = {
  readonly Name?: string
  readonly Driver?: string
  readonly DriverOpts?: Readonly<Record<string, string>>
  readonly Labels?: Readonly<Record<string, string>>
}

export type Volumes = {
  /** Returns the volume of that name, which is created unless it exists. */
  create(body: VolumeBody): Volume
  get(name: string): Volume
  list(filters: Filters): readonly Volume[]
  remove(name: string): void
}

export function createVolumes(now: () => Moment, events: Events): Volumes {
  const volumes = new Map<string, Volume>()
  const get = (name: string): Volume => {
    const volume = volumes.get(name)
    if (volume === undefined) throw missing(`get ${name}: no such volume`)
    return volume
  }
  return {
    get,
    create({ Name = '', Driver = '', DriverOpts = null, Labels = null }) {
      const name = Name || newId()
      if (Driver !== '' && Driver !== 'local')
        throw missing(
          `create ${name}: error looking up volume plugin ${Driver}: plugin "${Driver}" not found`,
        )
      const volume: Volume = volumes.get(name) ?? {
        name,
        created: now(),
        labels: Labels,
        options: DriverOpts,
        tree: new Map(),
        users: new Set(),
      }
      volumes.set(name, volume)
      events.emit('volume', 'create', name, { driver: 'local' })
      return volume
    },
    list: filters =>
      [...volumes.values()].filter(
        ({ name, labels, users }) =>
          hasLabels(labels ?? {}, filters) &&
          matchesAny(filters, 'name', wanted => name.includes(wanted)) &&
          matchesAny(
            filters,
            'dangling',
            wanted => (users.size === 0) === (wanted === 'true' || wanted === '1'),
          ),
      ),
    remove(name) {
      const { users } = get(name)
      if (users.size > 0) throw conflict(`remove ${name}: volume is in use - [${[...users].join(', ')}]`)
      volumes.delete(name)
      events.emit('volume', 'destroy', name, { driver: 'local' })
    },
  }
}

/** Returns a volume as the engine shows it. */
export function shownVolume({ name, created, labels, options }: Volume): object {
  return {
    CreatedAt: `${created.text.slice(0, 19)}Z`,
    Driver: 'local',
    Labels: labels,
    Mountpoint: mountpointOf(name),
    Name: name,
    Options: options,
    Scope: 'local',
  }
}

/** Returns the directory of a volume on the host. */
export function mountpointOf(name: string): string {
  return `/var/lib/docker/volumes/${name}/_data`
}
