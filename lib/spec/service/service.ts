import type { Instance, Service, Strategy } from '../../state/application/application.ts'
import type { Container } from '../../state/application/container/container.ts'
import { membersOf } from '../../state/application/members.ts'
import type { LabelExpression } from '../../state/fleet/expression.ts'
import type { ImageNotes } from '../../state/image/places.ts'
import type {
  ApplicationSpecification,
  Service as Written,
  Container as WrittenContainer,
} from '../application.gen.ts'
import type { BuildContext } from '../build/context.ts'
import type { Pins } from '../build/pins.ts'
import { fixedPortFault } from '../claims/host-ports.ts'
import { faultReservedNames } from '../claims/reserved-names.ts'
import { parsePlatform } from '../grammar/platform.ts'
import { noImage, readImage } from '../image.ts'
import { hookJobs } from '../jobs.ts'
import { networksOf, readAliases, withPublishedPorts } from '../networks.ts'
import {
  inPhase,
  type Pallet,
  phaseJobs,
  places,
  readPallet,
  staticsOf,
  underContract,
} from '../pallet/pallet.ts'
import { type Policy, violations, withinAllowed } from '../policy/policy.ts'
import { volumeWithinAllowed } from '../policy/volume.ts'
import { present } from '../present.ts'
import type { Watched } from '../probes/script.ts'
import { readContainer } from '../read/container.ts'
import { faultLateChecks } from '../read/health/gate.ts'
import { hasNetworkProbe, healthcheckOf, readProbes } from '../read/health/probes.ts'
import { type Hook, readHooks } from '../read/hooks.ts'
import { readLabelExpression } from '../read/label-expression.ts'
import { readRoutes } from '../read/routes.ts'
import { readStrategy } from '../read/strategy.ts'
import type { Variables } from '../read/value/dollars.ts'
import { readVariables } from '../read/value/variables.ts'
import { mountedVolumes, readVolumes, type VolumeKind } from '../read/volume/volumes.ts'
import { join, sandboxImage } from '../sandbox.ts'
import type { Spot } from '../spot.ts'
import {
  faultHostNamespaces,
  faultHostNetwork,
  faultNames,
  faultVolumes,
  publishesPorts,
  warnOfNoEffect,
} from './service-faults.ts'

/** The application of a service. */
export type ServiceSurroundings = {
  readonly application: string
  readonly network: ApplicationSpecification['network']
  readonly pins: Pins
  readonly notes: ImageNotes
  readonly strategy: Strategy
  /** The hooks of the application's strategy. */
  readonly hooks: readonly Hook[]
  readonly context: BuildContext
}

/** Builds a service from its specification. `warn` receives what has no effect here. */
export function buildService(
  written: Written,
  surroundings: ServiceSurroundings,
  spot: Spot,
  warn: Spot,
): Service {
  const { name, replicas = 1, mode } = written
  if (mode === 'global' && written.replicas !== undefined)
    spot.at('replicas').fault('is not for "mode: global", which has one instance on each node')
  const { environment, environmentName, healthyMs, policy } = surroundings.context
  const strategy =
    written.strategy === undefined
      ? surroundings.strategy
      : readStrategy(written.strategy, healthyMs, spot.at('strategy'))
  const hooks =
    written.strategy === undefined ? surroundings.hooks : readHooks(written.strategy, spot.at('strategy'))
  const owner = { environment, application: surroundings.application }
  const volumes = readVolumes(
    written.volumes ?? [],
    owner,
    surroundings.context.secrets,
    spot.at('volumes'),
    warn.at('volumes'),
  )
  faultVolumes(written, volumes, policy, spot.at('volumes'))
  warnOfNoEffect(written, surroundings.context.onSwarms === true, warn)
  const variables = readVariables(written.variables ?? [], surroundings.context.secrets, spot.at('variables'))
  const known = { variables, secrets: surroundings.context.secrets }
  const pallet = readPallet(written, { ...owner, environmentName }, volumes, known, spot)
  const made = buildInstance(
    written,
    { ...surroundings, strategy, volumes: pallet?.volumes ?? volumes, variables, pallet },
    spot,
  )
  if (made === undefined) return { name, instances: [], strategy }
  const { instance, first } = made
  // What each site can have is judged there, where sites differ in it.
  if (surroundings.context.onSwarms !== true) {
    const fault = fixedPortFault(membersOf(instance), replicas, strategy)
    if (fault !== undefined) spot.at(fault.key).fault(fault.what)
  }
  const implicit = pallet === undefined ? new Map<string, string>() : places
  const jobs = [
    ...hookJobs(hooks, {
      environmentName,
      application: surroundings.application,
      service: name,
      containers: written.containers,
      instance,
      implicit,
      known,
    }),
    ...(pallet === undefined ? [] : phaseJobs(pallet, first, instance)),
  ]
  const statics = pallet && staticsOf(surroundings.application, first, instance)
  const routed = { application: surroundings.application, service: name, ...present({ statics }) }
  const traffic = readRoutes(written, routed, surroundings.context, spot, warn)
  faultReservedNames(written, traffic !== undefined, spot)
  const nodes =
    surroundings.context.onSwarms === true ? readNodes(written.placement, spot.at('placement')) : undefined
  return {
    name,
    instances: Array.from({ length: replicas }, () => instance),
    strategy,
    ...(mode === 'global' ? { isGlobal: true } : {}),
    ...present({ nodes }),
    ...present({
      spread: surroundings.context.onSwarms === true ? written.placement?.['spread-over'] : undefined,
    }),
    ...present({ jobs: replicas === 0 ? [] : jobs }),
    ...present({ traffic }),
  }
}

function readNodes(written: Written['placement'], spot: Spot): LabelExpression | undefined {
  const text = written?.['match-host-labels']
  return text === undefined ? undefined : readLabelExpression(text, spot.at('match-host-labels'))
}

/** What the containers of an instance have in common. */
type Within = ServiceSurroundings & {
  readonly volumes: ReadonlyMap<string, VolumeKind | undefined>
  readonly variables: Variables
  readonly pallet: Pallet | undefined
}

/** An instance, and its first container before it gets a phase and shares anything. */
type Made = { readonly instance: Instance; readonly first: Container }

/**
 * Builds one instance. It has a sandbox if several containers share something, or if probes have to be performed (C50).
 */
function buildInstance(written: Written, within: Within, spot: Spot): Made | undefined {
  const writtenInit = written['init-containers'] ?? []
  const all = [...writtenInit, ...written.containers]
  const shared = all.length > 1 || all.some(hasNetworkProbe)
  faultNames(written, shared, spot)
  const read = written.containers.map((container, index) =>
    buildMember(
      container,
      { ...within, alone: (written.replicas ?? 1) <= 1, shared },
      spot.at('containers', index),
    ),
  )
  const init = writtenInit.map((container, index) => {
    const at = spot.at('init-containers', index)
    const model = buildInit(container, { ...within, alone: (written.replicas ?? 1) <= 1, shared }, at)
    return judged(model, within.context.policy, at)
  })
  const { pallet } = within
  const { policy } = within.context
  const whole = read.map(({ model }, index) => {
    const at = spot.at('containers', index)
    return judged(pallet !== undefined && index === 0 ? underContract(model, pallet, at) : model, policy, at)
  })
  const [head] = whole
  if (head === undefined) return undefined
  const members = withPublishedPorts(
    whole.map((model, index) => (pallet !== undefined && index === 0 ? inPhase('serve', model) : model)),
    written,
    policy,
    spot.at('network'),
  )
  const publishes = [...init, ...members].some(publishesPorts)
  const networks = {
    ...networksOf(
      { environment: within.context.environment, application: within.application, network: within.network },
      written.network,
      publishes,
    ),
    ...present({ aliases: readAliases(written.network, spot.at('network')) }),
  }
  faultHostNetwork(written, [...init, ...members], policy, spot.at('network', 'host'))
  const volumes = mountedVolumes([...init, ...members], within.volumes).map(volume =>
    volumeWithinAllowed(volume, policy),
  )
  const [only, ...others] = members
  if (only === undefined) return undefined
  if (!shared) return { instance: { containers: [only, ...others], ...networks, volumes }, first: head }
  const processes = written['share-pid-namespace'] ?? true
  faultHostNamespaces(written, processes, spot)
  const joined = join(
    {
      image: sandboxImage(within.context),
      init,
      members,
      watched: read.map(({ watched }) => watched),
      timeoutMs: within.strategy.timeoutMs,
    },
    spot.at('containers'),
  )
  const [first, ...more] = joined.members
  if (first === undefined) return undefined
  const instance = {
    sandbox: joined.sandbox,
    ...present({ probed: joined.probed }),
    sharesProcesses: processes,
    ...present({ init: joined.init }),
    containers: [first, ...more] as const,
    ...networks,
    volumes,
  }
  return { instance, first: head }
}

type Member = Within & { readonly alone: boolean; readonly shared: boolean }

function buildMember(
  written: WrittenContainer,
  member: Member,
  spot: Spot,
): { readonly model: Container; readonly watched: Watched } {
  const { network, command } = readProbes(written, spot.at('probes'))
  const model = {
    ...buildContainer(written, member, spot),
    ...(command === undefined ? {} : healthcheckOf(command, member.strategy.timeoutMs)),
  }
  const { timeoutMs } = member.strategy
  faultLateChecks(written, { timeoutMs, healthcheck: model.healthcheck, probes: network }, spot)
  return { model, watched: { container: written.name, probes: network } }
}

/** An init container runs to its end and is not restarted by itself; the whole instance is tried again. */
function buildInit(written: WrittenContainer, member: Member, spot: Spot): Container {
  for (const key of ['ports', 'restart', 'healthcheck', 'probes'] as const)
    if (written[key] !== undefined) spot.at(key).fault('is not for init containers, which run to their end')
  return { ...buildContainer(written, member, spot), restart: { name: 'no' } }
}

function buildContainer(written: WrittenContainer, member: Member, spot: Spot): Container {
  const { pins, notes, volumes, variables, alone, shared, context } = member
  const pinned = pins.images.get(written.image)
  const named = pinned?.image ?? spot.at('image').take(readImage(written.image)) ?? noImage
  const platform =
    written.platform === undefined ? undefined : spot.at('platform').take(parsePlatform(written.platform))
  const image = { ...named, ...present({ platform }) }
  notes.note(image, {
    image: pinned?.position ?? spot.at('image').position(),
    ...(platform === undefined ? {} : { platform: spot.at('platform').position() }),
  })
  const known = { variables, secrets: context.secrets }
  return readContainer(written, { image, volumes, alone, shared, known }, spot)
}

/**
 * Returns the container with the allowed directories of its mounts. Notes a fault for each demand beyond the policy
 * (G23).
 */
function judged(container: Container, policy: Policy, spot: Spot): Container {
  for (const { key, reason, hint } of violations(container, policy))
    spot.at(key).fault(reason, 'policy-violation', hint)
  return withinAllowed(container, policy)
}
