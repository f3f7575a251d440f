import { limits } from '../limits.ts'
import type { ApplicationSpecification, Container, Service } from './application.gen.ts'
import { countPorts } from './grammar/port.ts'
import type { Spot } from './spot.ts'

/** The numbers that grow when an application is expanded. */
export type Size = {
  readonly instances: number
  readonly ports: number
  readonly files: number
}

/** The size of nothing. */
export const noSize: Size = { instances: 0, ports: 0, files: 0 }

/** Adds two sizes. */
export function together(one: Size, other: Size): Size {
  return {
    instances: one.instances + other.instances,
    ports: one.ports + other.ports,
    files: one.files + other.files,
  }
}

/**
 * Counts what an application becomes once it is expanded, before it is expanded (G24): replicas, ranges of ports, and
 * files of volumes that are mounted repeatedly. Undefined if that is too much, by itself or together with the
 * applications before it. A fault then names the limit and what to do.
 */
export function sizeWithin(
  { services }: ApplicationSpecification,
  taken: Size,
  spot: Spot,
): Size | undefined {
  const size = { ...noSize }
  let isExceeded = false
  for (const { key, of, most, mostTogether, what } of counts) {
    const at = services.findIndex(service => {
      size[key] += of(service)
      return size[key] > most || taken[key] + size[key] > mostTogether
    })
    if (at < 0) continue
    isExceeded = true
    const bounds =
      size[key] > most
        ? `the application to more than ${most}`
        : `all applications together to more than ${mostTogether}`
    spot.at('services', at).fault(`brings ${bounds} ${what}`, 'application-too-large')
  }
  return isExceeded ? undefined : size
}

const counts = [
  {
    key: 'instances',
    of: (service: Service) => service.replicas ?? 1,
    most: limits.instances,
    mostTogether: limits.instancesTogether,
    what: 'instances; divide it into several applications',
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
] as const

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
