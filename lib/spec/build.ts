import validRange from 'semver/ranges/valid.js'
import type { Position, Problem } from '../errors.ts'
import type { Application, Requirement, Service } from '../state/application.ts'
import { canonical } from '../state/canonical.ts'
import type { Image } from '../state/container.ts'
import type { ServiceEntry } from '../state/service-entry.ts'
import type { Volume } from '../state/volume.ts'
import type { Service as WrittenService } from './application.gen.ts'
import { type Claims, claimsOf } from './claims.ts'
import type { BuildContext } from './context.ts'
import { faultSharedPorts } from './host-ports.ts'
import { inFileOrder } from './in-file-order.ts'
import { pinsOf } from './pins.ts'
import { present } from './present.ts'
import { readHooks } from './read/hooks.ts'
import { readStrategy } from './read/strategy.ts'
import { readUpgrades } from './read/upgrade.ts'
import { buildService } from './service.ts'
import type { Specification } from './specification.ts'
import { rootOf, type Spot } from './spot.ts'

/** An application as it came out; with problems it must not be used. */
export type Built = {
  readonly application: Application
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Where each requirement stands, by the other application's name. */
  readonly requirements: ReadonlyMap<string, Position>
  readonly claims: Claims
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
  const written = value.services.flatMap(({ containers, 'init-containers': init = [] }) =>
    [...init, ...containers].map(({ image }) => image),
  )
  const pins =
    entry === undefined
      ? { images: new Map<string, Image>(), problems: [] }
      : pinsOf(written, file, entry, context.registry)
  const strategy = readStrategy(value.strategy, context.healthyMs, root.at('strategy'))
  const { name: application, network } = value
  const hooks = readHooks(value.strategy, root.at('strategy'))
  const upgrades = readUpgrades(value, context.healthyMs, root)
  const surroundings = { application, network, images: pins.images, strategy, hooks, context }
  const services = value.services.map((service, index) =>
    buildService(service, surroundings, root.at('services', index), warn.at('services', index)),
  )
  faultRepeatedNames(value.services, root.at('services'))
  faultSharedPorts(services, root.at('services'))
  faultDifferingVolumes(services, root.at('services'))
  const claims = claimsOf(services, value.services, root.at('services'), pointer =>
    document.position(pointer),
  )
  const requires = readRequirements(value.requires ?? {}, root.at('requires'))
  const version = entry?.version ?? value.version
  return {
    application: { name: application, services, requires, ...present({ version, upgrades }) },
    problems: inFileOrder([...noted, ...pins.problems]),
    warnings,
    claims,
    requirements: new Map(
      requires.map(({ application }) => [
        application,
        document.position(root.at('requires', application).pointer),
      ]),
    ),
  }
}

function faultRepeatedNames(services: readonly WrittenService[], spot: Spot): void {
  const seen = new Set<string>()
  services.forEach(({ name }, index) => {
    if (seen.has(name)) spot.at(index, 'name').fault(`is "${name}" a second time`)
    seen.add(name)
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
