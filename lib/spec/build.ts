import { validRange } from 'semver'
import type { Position, Problem } from '../errors.ts'
import type { Application, Instance, Requirement, Service, Strategy, Volume } from '../state/application.ts'
import { canonical } from '../state/canonical.ts'
import type { Container, Image } from '../state/container.ts'
import type { ServiceEntry } from '../state/service-entry.ts'
import type { Service as WrittenService } from './application.gen.ts'
import { faultFixedPorts, faultSharedPorts } from './host-ports.ts'
import { readImage } from './image.ts'
import { inFileOrder } from './in-file-order.ts'
import { pinsOf } from './pins.ts'
import { type Policy, violations, volumeViolation } from './policy.ts'
import { readContainer } from './read/container.ts'
import { readStrategy } from './read/strategy.ts'
import { readVolumes, type VolumeKind } from './read/volumes.ts'
import type { Specification } from './specification.ts'
import { rootOf, type Spot } from './spot.ts'

export type BuildContext = {
  readonly environment: string
  /** In front of a `dockerName` without a registry. */
  readonly registry?: string
  readonly policy: Policy
  /** How long an instance without a health check must run, where nobody says otherwise. */
  readonly healthyMs: number
}

/** An application as it came out; with problems it must not be used. */
export type Built = {
  readonly application: Application
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Where each requirement stands, by the other application's name. */
  readonly requirements: ReadonlyMap<string, Position>
}

/**
 * An application as its specification says it runs, in the versions that the manifest's entry says; without an entry
 * in those the specification names. All problems are found at once.
 */
export function buildApplication(
  specification: Extract<Specification, { state: 'valid' }>,
  entry: ServiceEntry | undefined,
  context: BuildContext,
): Built {
  const { value, document, file } = specification
  const noted: Problem[] = []
  const warnings: Problem[] = []
  const root = rootOf(document, problem => noted.push(problem), 'application-invalid')
  const warn = rootOf(document, problem => warnings.push(problem), 'size-not-enforced')
  const written = value.services.flatMap(({ containers }) => containers.map(({ image }) => image))
  const pins =
    entry === undefined
      ? { images: new Map<string, Image>(), problems: [] }
      : pinsOf(written, file, entry, context.registry)
  const strategy = readStrategy(value.strategy, context.healthyMs, root.at('strategy'))
  const surroundings = { application: value.name, images: pins.images, strategy, context }
  const services = value.services.map((service, index) =>
    buildService(service, surroundings, root.at('services', index), warn.at('services', index)),
  )
  faultRepeatedNames(value.services, root.at('services'))
  faultSharedPorts(services, root.at('services'))
  faultDifferingVolumes(services, root.at('services'))
  const requires = readRequirements(value.requires ?? {}, root.at('requires'))
  const version = entry?.version ?? value.version
  return {
    application: { name: value.name, ...(version === undefined ? {} : { version }), services, requires },
    problems: inFileOrder([...noted, ...pins.problems]),
    warnings,
    requirements: new Map(
      requires.map(({ application }) => [
        application,
        document.position(root.at('requires', application).pointer),
      ]),
    ),
  }
}

type Surroundings = {
  readonly application: string
  readonly images: ReadonlyMap<string, Image>
  readonly strategy: Strategy
  readonly context: BuildContext
}

function buildService(written: WrittenService, surroundings: Surroundings, spot: Spot, warn: Spot): Service {
  const { application, context } = surroundings
  const { environment, healthyMs } = context
  const replicas = written.replicas ?? 1
  const volumes = readVolumes(
    written.volumes ?? [],
    { environment, application },
    spot.at('volumes'),
    warn.at('volumes'),
  )
  faultVolumes(written, volumes, context.policy, spot.at('volumes'))
  const [first, ...more] = written.containers.map((container, index) => {
    const at = spot.at('containers', index)
    const image = surroundings.images.get(container.image) ?? at.at('image').take(readImage(container.image))
    const model = readContainer(container, { image: image ?? noImage, volumes, alone: replicas <= 1 }, at)
    for (const { key, reason } of violations(model, context.policy))
      at.at(key).fault(reason, 'policy-violation')
    return model
  })
  const strategy =
    written.strategy === undefined
      ? surroundings.strategy
      : readStrategy(written.strategy, healthyMs, spot.at('strategy'))
  const containers = first === undefined ? undefined : ([first, ...more] as const)
  if (containers === undefined) return { name: written.name, instances: [], strategy }
  faultFixedPorts(containers, replicas, strategy, spot)
  const instance: Instance = {
    containers: [...containers],
    network: { name: `${environment}.${application}`, application },
    volumes: mountedVolumes(containers, volumes),
  }
  return { name: written.name, instances: Array.from({ length: replicas }, () => instance), strategy }
}

/** Stands where a reference could not be read; its application has a problem and is never used. */
const noImage: Image = { reference: '', pin: { state: 'unknown', reason: 'no valid reference' } }

function faultVolumes(
  written: WrittenService,
  volumes: ReadonlyMap<string, VolumeKind>,
  policy: Policy,
  spot: Spot,
): void {
  written.volumes?.forEach(({ name }, index) => {
    const kind = volumes.get(name)
    const reason = kind?.kind === 'volume' ? volumeViolation(kind.volume, policy) : undefined
    if (reason !== undefined) spot.at(index, 'persistent-volume').fault(reason, 'policy-violation')
  })
}

function mountedVolumes(
  containers: readonly Container[],
  volumes: ReadonlyMap<string, VolumeKind>,
): readonly Volume[] {
  const mounted = new Set(
    containers.flatMap(({ mounts = [] }) =>
      mounts.map(mount => (mount.kind === 'volume' ? mount.volume : '')),
    ),
  )
  return [...volumes.values()]
    .flatMap(kind => (kind.kind === 'volume' && mounted.has(kind.volume.name) ? [kind.volume] : []))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function faultRepeatedNames(services: readonly WrittenService[], spot: Spot): void {
  const seen = new Set<string>()
  services.forEach(({ name, containers }, index) => {
    if (seen.has(name)) spot.at(index, 'name').fault(`is "${name}" a second time`)
    seen.add(name)
    if (new Set(containers.map(({ name }) => name)).size < containers.length)
      spot.at(index, 'containers').fault('gives two containers one name')
  })
}

/** Services of one application share a persistent volume by naming it alike; then it has to be the same volume. */
function faultDifferingVolumes(services: readonly Service[], spot: Spot): void {
  const seen = new Map<string, Volume>()
  services.forEach(({ instances }, index) => {
    for (const volume of instances[0]?.volumes ?? []) {
      const other = seen.get(volume.name) ?? volume
      if (canonical(other) !== canonical(volume))
        spot.at(index, 'volumes').fault(`describes ${volume.name} otherwise than another service does`)
      seen.set(volume.name, volume)
    }
  })
}

function readRequirements(written: Readonly<Record<string, string>>, spot: Spot): readonly Requirement[] {
  return Object.entries(written)
    .map(([application, range]) => {
      if (validRange(range) === null) spot.at(application).fault(`"${range}" is no range of versions`)
      return { application, range }
    })
    .sort((a, b) => (a.application < b.application ? -1 : 1))
}
