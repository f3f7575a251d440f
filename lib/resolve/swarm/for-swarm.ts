import type { Problem } from '../../errors.ts'
import { optional } from '../../object.ts'
import { onceFor } from '../../once-for.ts'
import type { Application, Instance, Job, Service } from '../../state/application/application.ts'
import type { Container, Mount } from '../../state/application/container.ts'
import type { Blocked, DesiredState } from '../../state/application/desired.ts'
import { metadataName } from '../../state/application/metadata.ts'
import { type Network, overlayName } from '../../state/application/network.ts'
import { ingressName } from '../../state/application/route.ts'
import { type SwarmOptions, type SwarmService, swarmName } from '../../state/application/swarm-service.ts'
import { swarmUpdate } from '../../state/application/swarm-update.ts'
import type { Volume } from '../../state/application/volume.ts'
import { hashOf } from '../../state/canonical.ts'
import { constraintsOf } from './constraints.ts'
import { lackOf } from './lacks.ts'

/**
 * Returns what a site wants as a Swarm can have it: all instances of a service are one service of the Swarm. An
 * application that needs what no Swarm can do is blocked, so that nothing of it is touched. What Tallyman itself runs on
 * a host is left out. Pure.
 */
export function forSwarm(desired: DesiredState, options: SwarmOptions): DesiredState {
  const states = shaped(desired)
  const known = states.get(hashOf(options))
  if (known !== undefined) return known
  const made = shape(desired, options)
  states.set(hashOf(options), made)
  return made
}

/** What is wanted stays one value for many passes. By what is so of the Swarm. */
const shaped = onceFor((_: DesiredState) => new Map<string, DesiredState>())

function shape(desired: DesiredState, options: SwarmOptions): DesiredState {
  const { environment } = desired
  const isOwn = (name: string) => name === ingressName || name === metadataName
  const parts = desired.applications
    .filter(({ name }) => !isOwn(name))
    .map(application => applicationFor(environment, application, options))
  const { ingress: _, ...rest } = desired
  return {
    ...rest,
    applications: parts.flatMap(part => ('services' in part ? [part] : [])),
    blocked: [
      ...desired.blocked.filter(({ application }) => !isOwn(application)),
      ...parts.flatMap(part => ('problems' in part ? [part] : [])),
    ],
  }
}

/** Returns an application as a Swarm can have it, or all that keeps it from that. */
export function applicationFor(
  environment: string,
  application: Application,
  options: SwarmOptions,
): Application | Blocked {
  const { name, services } = application
  const problems = services.flatMap(service =>
    lacksOf(environment, name, service, options).map(
      (lack): Problem => ({ code: 'swarm-unsupported', message: `${name}: ${service.name} ${lack}` }),
    ),
  )
  const [first, ...others] = problems
  if (first !== undefined) return { application: name, problems: [first, ...others] }
  return { ...application, services: services.map(service => serviceFor(environment, service, options)) }
}

function lacksOf(
  environment: string,
  application: string,
  service: Service,
  options: SwarmOptions,
): readonly string[] {
  const { instances, jobs = [], nodes, traffic } = service
  const [instance] = instances
  if (instance === undefined) return []
  const lacks = [
    traffic === undefined ? undefined : 'has routes, and a Swarm has no ingress yet',
    nodes !== undefined && constraintsOf(nodes) === undefined
      ? 'chooses nodes by more than labels with one value each: a Swarm understands "label = value", "not" before it, and "and" between them'
      : undefined,
    swarmName(environment, application, service.name) === undefined
      ? 'has no name that a Swarm allows: environment, application and service are at most 63 letters, digits, "-" and "_" together'
      : undefined,
    new Set(instances.map(one => hashOf(one))).size > 1
      ? 'has instances that differ, and the tasks of a Swarm are all alike'
      : undefined,
    ...instances.flatMap(one => lacksOfInstance(one, options)),
    ...jobs.flatMap(job => lacksOfJob(job, options)),
  ]
  return [...new Set(lacks.filter(lack => lack !== undefined))]
}

function lacksOfInstance(
  { sandbox, init = [], containers, network, attachments = [], reached = [], volumes, pod }: Instance,
  options: SwarmOptions,
): readonly (string | undefined)[] {
  return [
    pod === undefined ? undefined : 'is a pod, which needs one host',
    sandbox === undefined && containers.length === 1 && init.length === 0
      ? undefined
      : 'has several containers in one instance, and a task of a Swarm is one container',
    ...lacksOfVolumes(volumes),
    reached.length === 0 ? undefined : 'is to be reached on the networks of others',
    ...lacksOfNetworks([network, ...attachments]),
    ...containers.flatMap(container => lackOf(container, options)),
  ]
}

/** Of a hook or phase, which shares its service's reasons: each is told once. */
function lacksOfJob(
  { container, network, attachments = [], volumes }: Job,
  options: SwarmOptions,
): readonly (string | undefined)[] {
  return [
    ...lacksOfVolumes(volumes),
    ...lacksOfNetworks([network, ...attachments]),
    ...lackOf(container, options).map(lack => `has a hook or phase, ${container.name}, that ${lack}`),
  ]
}

function lacksOfVolumes(volumes: readonly Volume[]): readonly (string | undefined)[] {
  return [
    volumes.some(({ binds }) => binds)
      ? 'has a volume that is a directory of the host, which cannot be checked on all nodes'
      : undefined,
  ]
}

function lacksOfNetworks(networks: readonly Network[]): readonly (string | undefined)[] {
  return [
    networks.some(({ mode }) => mode === 'host') ? 'is on the network of the host' : undefined,
    networks.some(({ mode }) => mode === 'published')
      ? 'publishes ports and may not reach anything outside, which overlay networks cannot tell apart'
      : undefined,
  ]
}

function serviceFor(environment: string, service: Service, options: SwarmOptions): Service {
  const [instance] = service.instances
  if (instance === undefined) return service
  const [first] = instance.containers
  const replicas = service.isGlobal ? 'global' : service.instances.length
  const runs: SwarmService = {
    replicas,
    update: swarmUpdate(service, { replicas, ...options }),
    ...options,
    ...optional('constraints', service.nodes && constraintsOf(service.nodes)),
    ...(replicas === 'global' ? {} : optional('spread', service.spread)),
    ...optional('platform', first.image.platform),
  }
  return {
    ...service,
    instances: [
      {
        ...instance,
        ...onOverlays(environment, instance),
        containers: [forTasks(first, instance.volumes)],
        runs,
      },
    ],
    ...optional(
      'jobs',
      service.jobs?.map(job => jobFor(environment, job)),
    ),
  }
}

function jobFor(environment: string, job: Job): Job {
  return { ...job, ...onOverlays(environment, job), container: forTasks(job.container, job.volumes) }
}

/** Names networks as a Swarm allows it. Volumes it makes itself, on each node that needs them. */
function onOverlays(
  environment: string,
  { network, attachments }: Pick<Instance, 'network' | 'attachments'>,
): Pick<Instance, 'network' | 'attachments' | 'volumes'> {
  const overlay = (one: Network): Network => ({ ...one, name: overlayName(one.name, environment) })
  return {
    network: overlay(network),
    ...optional('attachments', attachments?.map(overlay)),
    volumes: [],
  }
}

/**
 * What an image has to have shows only on the node that runs it. Files are mounted one by one, and need no directory of
 * their own. A node makes a volume as its mount says.
 */
function forTasks({ needs: _, mounts, ...container }: Container, volumes: readonly Volume[]): Container {
  const left = mounts?.filter(({ kind }) => kind !== 'files') ?? []
  return {
    ...container,
    ...(left.length === 0 ? {} : { mounts: left.map(mount => madeOnNode(mount, volumes)) }),
  }
}

function madeOnNode(mount: Mount, volumes: readonly Volume[]): Mount {
  if (mount.kind !== 'volume') return mount
  const { driver, driverOptions } = volumes.find(({ name }) => name === mount.volume) ?? {}
  if ((driver ?? driverOptions) === undefined) return mount
  return { ...mount, made: { driver: driver ?? 'local', ...optional('options', driverOptions) } }
}
