import { type Document, pointerTo } from '../../document/document.ts'
import type { Position, Problem } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Application, Service } from '../../state/application/application.ts'
import type { ServiceEntry } from '../../state/application/service-entry.ts'
import type { AskingOf } from '../../state/application/swarm/asking.ts'
import type { Volume } from '../../state/application/volume.ts'
import { canonical } from '../../state/canonical.ts'
import { type ImagePlaces, imageNotes } from '../../state/image/places.ts'
import { isWithin } from '../../text/in-directory.ts'
import type { Service as WrittenService } from '../application.gen.ts'
import { type Claimed, claimPlaceIn, claimsOf } from '../claims/claims.ts'
import { faultContested } from '../claims/contested.ts'
import { faultDifferingPlaces } from '../pallet/same-places.ts'
import { fenceFor } from '../policy/fence.ts'
import { faultFenced, fencedSecrets } from '../policy/fenced.ts'
import { present } from '../present.ts'
import { readHooks } from '../read/hooks.ts'
import { readRequirements } from '../read/requirements.ts'
import { readStrategy } from '../read/strategy.ts'
import { readUpgrades } from '../read/upgrade.ts'
import { buildService } from '../service/service.ts'
import type { ApplicationDocument } from '../specification/specification.ts'
import { rootOf, type Scalar, type Spot } from '../spot.ts'
import { askingPlaces } from './asking.ts'
import type { BuildContext } from './context.ts'
import { sizeOfSpecification } from './excess.ts'
import { expandVariables } from './expand.ts'
import { inFileOrder } from './in-file-order.ts'
import { type Pins, pinsOf } from './pins.ts'
import { noSize, type Size } from './size.ts'

/** An application as it was built. If it has problems, it must not be used. */
export type Built = {
  readonly application: Application
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Returns where it requires another application. */
  readonly requirementAt: (other: string) => Position
  readonly images: ImagePlaces
  /** Where its services say what they ask of the nodes of a Swarm; absent: none does, or no site is one. */
  readonly asking?: AskingOf
  /** What no other application may have. */
  readonly claims: readonly Claimed[]
  /** The size of its expansion; nothing if that is too large. */
  readonly size: Size
}

/**
 * Builds an application from its specification, in the versions of the manifest's entry. Without an entry, uses those
 * that the specification names. Finds all problems at once.
 */
export function buildApplication(
  specification: ApplicationDocument,
  entry: ServiceEntry | undefined,
  context: BuildContext,
): Built {
  const { document, file, without = [] } = specification
  const noted: Problem[] = []
  const warnings: Problem[] = []
  const note = (problem: Problem, pointer: string) => {
    if (!without.some(one => isWithin(pointer, one) || isWithin(one, pointer))) noted.push(problem)
  }
  const root = rootOf(document, note, 'application-invalid')
  const warn = rootOf(document, problem => warnings.push(problem), 'size-not-enforced')
  const { name: application } = specification.value
  const fence = fenceFor(context.policy.applications, context.environmentName, application)
  const secrets = fencedSecrets(context.secrets, application, fence)
  const { taken = noSize } = context
  const value = expandVariables(specification, secrets, root, context.specifications)
  const size = sizeOfSpecification(value, taken, root)
  if (size === undefined) return notBuilt(value.name, document, noted)
  const written = value.services.flatMap(({ containers, 'init-containers': init = [] }) =>
    [...init, ...containers].map(({ image }) => image),
  )
  const pins = entry === undefined ? noPins : pinsOf(written, file, entry, context.registry)
  const strategy = readStrategy(value.strategy, context.healthyMs, root.at('strategy'))
  const { network } = value
  const hooks = readHooks(value.strategy, root.at('strategy'))
  const upgrades = readUpgrades(value, context.healthyMs, root)
  const notes = imageNotes()
  const surroundings = {
    application,
    network,
    pins,
    notes,
    strategy,
    hooks,
    context: { ...context, secrets },
  }
  const services = value.services.map((service, index) =>
    buildService(service, surroundings, root.at('services', index), warn.at('services', index)),
  )
  faultRepeatedNames(value.services, root.at('services'))
  faultDifferingVolumes(services, root.at('services'))
  faultDifferingPlaces(services, value.services, root.at('services'))
  const claims = claimsOf(services, value.services, root.at('services'))
  faultContested(claims)
  faultFenced(application, services, value.services, fence, root.at('services'))
  const asking =
    context.onSwarms === true
      ? askingPlaces(value.services, { ...context, application }, root.at('services'))
      : undefined
  const requires = readRequirements(value.requires ?? {}, root.at('requires'))
  const version =
    entry?.version ??
    (value.version === undefined ? undefined : readVersion(value.version, root.at('version')))
  return {
    application: { name: application, services, requires, ...present({ version, upgrades }) },
    problems: inFileOrder([...noted, ...pins.problems]),
    warnings,
    images: notes.places,
    ...optional('asking', asking),
    claims: claims.map(({ claim, service, place }) => ({
      claim,
      service,
      place: claimPlaceIn(document, place.pointer),
    })),
    size,
    requirementAt: requirementsIn(document),
  }
}

const noPins: Pins = { pinned: () => undefined, problems: [] }

/** Made here, so that of everything an application is built from only the document is kept for it. */
function requirementsIn(document: Document): Built['requirementAt'] {
  return other => document.position(pointerTo('/requires', other))
}

/** Returns an empty application, because the expansion would be too large. */
function notBuilt(name: string, document: Document, problems: readonly Problem[]): Built {
  const application = { name, services: [], requires: [] }
  return {
    application,
    problems,
    warnings: [],
    images: new Map(),
    claims: [],
    requirementAt: requirementsIn(document),
    size: noSize,
  }
}

function faultRepeatedNames(services: readonly WrittenService[], spot: Spot): void {
  const seen = new Set<string>()
  services.forEach(({ name }, index) => {
    if (seen.has(name)) spot.at(index, 'name').fault(`is "${name}" a second time`)
    seen.add(name)
  })
}

/**
 * Services of one application share a persistent volume by giving it the same name. Then it has to be the same volume.
 */
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

/** The schema guarantees a text, but a number may be too long. */
function readVersion(written: Scalar, spot: Spot): string {
  const version = spot.text(written)
  if (version.length > longestVersion) spot.fault(`must have at most ${longestVersion} characters`)
  return version
}

const longestVersion = 128
