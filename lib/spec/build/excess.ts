import { limits } from '../../limits.ts'
import type { ApplicationSpecification, Container, Service, Strategy } from '../application.gen.ts'
import { countPorts } from '../grammar/port.ts'
import type { Spot } from '../spot.ts'

/** The numbers that grow when an application is expanded. */
export type Size = {
  /** Containers of all instances, including sandboxes and jobs. */
  readonly containers: number
  readonly ports: number
  readonly files: number
  /** Characters of everything that is set on containers and jobs, once for equal instances. */
  readonly characters: number
}

/** The size of nothing. */
export const noSize: Size = { containers: 0, ports: 0, files: 0, characters: 0 }

/** Adds two sizes. */
export function together(one: Size, other: Size): Size {
  return {
    containers: one.containers + other.containers,
    ports: one.ports + other.ports,
    files: one.files + other.files,
    characters: one.characters + other.characters,
  }
}

/**
 * Counts what an application becomes once it is expanded, before it is expanded (G24): replicas, ranges of ports, files
 * of volumes that are mounted repeatedly, and hooks that run for each service. Undefined if that is too much, by itself
 * or together with the applications before it. A fault then names the limit and what to do.
 */
export function sizeWithin(value: ApplicationSpecification, taken: Size, spot: Spot): Size | undefined {
  const { services } = value
  const sizes = new Map<keyof Size | 'instances', number>()
  for (const { key, of, most, mostTogether, what } of counts) {
    let size = 0
    const before = key === 'instances' ? 0 : taken[key]
    const at = services.findIndex(service => {
      size += of(service, value)
      return size > most || before + size > mostTogether
    })
    sizes.set(key, size)
    if (at < 0) continue
    const bounds =
      size > most
        ? `the application to more than ${most}`
        : `all applications together to more than ${mostTogether}`
    spot.at('services', at).fault(`brings ${bounds} ${what}`, 'application-too-large')
    return undefined
  }
  const sizeOf = (key: keyof Size) => sizes.get(key) ?? 0
  return {
    containers: sizeOf('containers'),
    ports: sizeOf('ports'),
    files: sizeOf('files'),
    characters: sizeOf('characters'),
  }
}

type Count = {
  readonly key: keyof Size | 'instances'
  readonly of: (service: Service, value: ApplicationSpecification) => number
  readonly most: number
  readonly mostTogether: number
  readonly what: string
}

const anyNumber = Number.POSITIVE_INFINITY

const counts: readonly Count[] = [
  {
    key: 'instances',
    of: replicasOf,
    most: limits.instances,
    mostTogether: anyNumber,
    what: 'instances; divide it into several applications',
  },
  {
    key: 'containers',
    of: (service, value) => {
      const members = containersOf(service).length
      const sandboxes = members > 1 ? 1 : 0
      return replicasOf(service) * (members + sandboxes) + jobsOf(service, value).length
    },
    most: limits.containersTogether,
    mostTogether: limits.containersTogether,
    what: 'containers, where those of each instance and each hook count; run fewer instances, or divide the environment',
  },
  {
    key: 'ports',
    of: portsOf,
    most: limits.ports,
    mostTogether: limits.portsTogether,
    what: 'ports, where each port of a range counts; publish fewer, or use "network: {host: true}"',
  },
  {
    key: 'files',
    of: filesOf,
    most: limits.files,
    mostTogether: limits.filesTogether,
    what: 'files, where each mount counts; mount fewer of them, or put them into the image',
  },
  {
    key: 'characters',
    of: charactersOf,
    most: limits.definitionCharacters,
    mostTogether: limits.definitionCharactersTogether,
    what: 'characters, where each mount of a file, each hook of each service and each path of "upgrade-from" count; mount large files once, and give large values to fewer hooks',
  },
]

function replicasOf({ replicas = 1 }: Service): number {
  return replicas
}

function containersOf(service: Service): readonly Container[] {
  return [...service.containers, ...(service['init-containers'] ?? [])]
}

function portsOf(service: Service): number {
  const written = containersOf(service).flatMap(({ ports = [] }) => ports)
  const own = written.reduce<number>(
    (sum, port) => sum + countPorts(String(typeof port === 'object' ? port.target : port)),
    0,
  )
  const ranges = service.network?.['ingress-ip-per-instance']?.protocols ?? []
  return ranges.reduce(
    (sum, { 'port-ranges': text }) =>
      String(text)
        .split(',')
        .reduce((inner, range) => inner + countPorts(range.trim()), sum),
    own,
  )
}

function filesOf(service: Service): number {
  const sizes = new Map(
    (service.volumes ?? []).map(volume => [
      volume.name,
      (volume['config-map'] ?? volume.secret)?.items.length ?? 0,
    ]),
  )
  return containersOf(service)
    .flatMap(({ mounts = [] }) => mounts)
    .reduce((sum, mount) => sum + (mount.files?.length ?? sizes.get(mount['volume-name']) ?? 0), 0)
}

/** Counts the characters of everything that is set on the containers and jobs of a service. */
function charactersOf(service: Service, value: ApplicationSpecification): number {
  const { containers, 'init-containers': init = [], strategy: _, ...rest } = service
  const contents = new Map((service.volumes ?? []).map(volume => [volume.name, contentsOf(volume)]))
  const sizes = [...init, ...containers].map(
    container => lengthOf(container) + mountedIn(container, contents),
  )
  const [largest] = sizes.toSorted((one, other) => other - one)
  const jobs = jobsOf(service, value).map(job => (largest ?? 0) + lengthOf(job))
  const paths = (value['upgrade-from'] ?? []).length * charactersOfPath
  return [...sizes, ...jobs].reduce((sum, size) => sum + size, lengthOf(rest) + paths)
}

/** About what an upgrade path holds for one service. */
const charactersOfPath = 100

/** Returns what runs once for a service besides its instances: hooks, and the phases of the Pallet contract. */
function jobsOf({ strategy, pallet }: Service, value: ApplicationSpecification): readonly unknown[] {
  const phases = pallet === undefined ? [] : ['test', 'deploy']
  return [...hooksOf(strategy ?? value.strategy), ...phases]
}

function hooksOf({ type, rollingUpdate, recreate }: Strategy = {}): readonly unknown[] {
  const { pre, mid, post } = (type === 'Recreate' ? recreate : rollingUpdate) ?? {}
  return [pre, mid, post].filter(hook => hook !== undefined)
}

/** Returns the length of each file of a volume. */
function contentsOf(volume: NonNullable<Service['volumes']>[number]): ReadonlyMap<string, number> {
  return new Map((volume['config-map']?.items ?? []).map(({ name, data }) => [name, data.length]))
}

function mountedIn(
  { mounts = [] }: Container,
  contents: ReadonlyMap<string, ReadonlyMap<string, number>>,
): number {
  return mounts.reduce((sum, { 'volume-name': name, files }) => {
    const lengths = contents.get(name) ?? new Map<string, number>()
    const mounted = files?.map(file => lengths.get(file.name) ?? 0) ?? [...lengths.values()]
    return mounted.reduce((inner, length) => inner + length, sum)
  }, 0)
}

/** Returns about the length of a value in JSON. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 5
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + lengthOf(inner), 2)
}
