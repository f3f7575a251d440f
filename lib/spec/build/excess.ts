import { mostPatternParts } from '../../fleet/labels/most-parts.ts'
import { sumOf } from '../../numbers.ts'
import { patternParts } from '../../state/pattern-parts.ts'
import type { ApplicationSpecification, Container, Service, Strategy } from '../application.gen.ts'
import { countPorts } from '../grammar/port.ts'
import type { Spot } from '../spot.ts'
import { type Advice, type CountedPart, jsonLengthOf, type Size, sizeWithin } from './size.ts'

/**
 * Counts what an application becomes once it is expanded, before it is expanded (G24): replicas, ranges of ports, files
 * of volumes that are mounted repeatedly, and hooks that run for each service. Undefined if that is too much; a fault is
 * noted then.
 */
export function sizeOfSpecification(
  value: ApplicationSpecification,
  taken: Size,
  spot: Spot,
): Size | undefined {
  const parts = value.services.map((service, index) => ({
    spot: spot.at('services', index),
    instances: replicasOf(service),
    containers: containersCount(service, value),
    ports: portsOf(service),
    files: filesOf(service),
    characters: charactersOf(service, value),
  }))
  return sizeWithin([...parts, ...upgradesOf(value, spot)], taken, advice)
}

const advice: Advice = {
  instances: 'instances; divide it into several applications',
  containers:
    'containers, where those of each instance and each hook count; run fewer instances, or divide the environment',
  ports: 'ports, where each port of a range counts; publish fewer, or use "network: {host: true}"',
  files: 'files, where each mount counts; mount fewer of them, or put them into the image',
  characters:
    'characters, where each mount of a file, each hook of each service and each path of "upgrade-from" and each "match-host-labels" with each repetition in it count; mount large files once, give large values to fewer hooks, and repeat less in regular expressions',
}

function containersCount(service: Service, value: ApplicationSpecification): number {
  const members = containersOf(service).length
  const sandboxes = members > 1 ? 1 : 0
  return replicasOf(service) * (members + sandboxes) + jobsOf(service, value).length
}

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
  const all = containersOf(service).flatMap(({ mounts = [] }) => mounts)
  return sumOf(all, mount => mount.files?.length ?? sizes.get(mount['volume-name']) ?? 0)
}

/** Counts the characters of everything that is set on the containers and jobs of a service. */
function charactersOf(service: Service, value: ApplicationSpecification): number {
  const { containers, 'init-containers': init = [], strategy: _, ...rest } = service
  const contents = new Map((service.volumes ?? []).map(volume => [volume.name, contentsOf(volume)]))
  const sizes = [...init, ...containers].map(
    container => jsonLengthOf(container) + mountedIn(container, contents),
  )
  const [largest] = sizes.toSorted((one, other) => other - one)
  const jobs = jobsOf(service, value).map(job => (largest ?? 0) + jsonLengthOf(job))
  const paths = (value['upgrade-from'] ?? []).length * charactersOfPath
  const patterns = mostPatternParts(rest.placement?.['match-host-labels'] ?? '') * charactersOfPatternPart
  return [...sizes, ...jobs].reduce((sum, size) => sum + size, jsonLengthOf(rest) + paths + patterns)
}

/** About what an upgrade path holds for one service. */
const charactersOfPath = 100

/** Returns what the regular expressions of upgrade paths hold once their repetitions are written out. */
function upgradesOf(value: ApplicationSpecification, spot: Spot): readonly CountedPart[] {
  return (value['upgrade-from'] ?? []).map(({ 'version-regexp': pattern }, index) => ({
    spot: spot.at('upgrade-from', index, 'version-regexp'),
    characters: patternParts(pattern) * charactersOfPatternPart,
  }))
}

/** About what a part of a regular expression holds. */
const charactersOfPatternPart = 64

/** Returns what runs once for a service besides its instances: hooks, and the phases of the Pallet contract. */
function jobsOf({ strategy, pallet }: Service, value: ApplicationSpecification): readonly unknown[] {
  const phases = pallet === undefined ? [] : ['test', 'deploy']
  return [...hooksOf(strategy ?? value.strategy), ...phases]
}

/** Returns the hooks of a strategy. */
export function hooksOf({ type, rollingUpdate, recreate }: Strategy = {}): readonly unknown[] {
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
