import type { Problem } from '../../errors.ts'
import { onceFor } from '../../memo/once-for.ts'
import { optional } from '../../object.ts'
import type { Application, Instance, Job, Resting, Service } from '../../state/application/application.ts'
import type { Container, Mount } from '../../state/application/container/container.ts'
import type { Blocked, DesiredState } from '../../state/application/desired.ts'
import { ingressName, overlayGate } from '../../state/application/ingress/route.ts'
import { backendOf, routingOf, type Traffic } from '../../state/application/ingress/traffic.ts'
import { metadataName } from '../../state/application/metadata.ts'
import { type Network, overlayName } from '../../state/application/network.ts'
import type { SwarmOptions, SwarmService } from '../../state/application/swarm/swarm-service.ts'
import { swarmUpdate } from '../../state/application/swarm/swarm-update.ts'
import type { Volume } from '../../state/application/volume.ts'
import { hashOf } from '../../state/canonical.ts'
import { constraintsOf } from './constraints.ts'
import { ingressFor } from './ingress.ts'
import { lacksOf } from './lacks-of-service.ts'

/**
 * Returns what a site wants as a Swarm can have it: all instances of a service are one service of the Swarm. An
 * application that needs what no Swarm can do is blocked, so that nothing of it is touched. The metadata
 * service, which only pods ask, is left out. Pure.
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
  const parts = desired.applications
    .filter(({ name }) => name !== metadataName)
    .flatMap(application =>
      application.name === ingressName ? ingressFor(application, desired, options) : application,
    )
    .map(application => applicationFor(desired, application, options))
  const { ingress: _, ...rest } = desired
  return {
    ...rest,
    applications: parts.flatMap(part => ('services' in part ? [part] : [])),
    blocked: [
      ...desired.blocked.filter(({ application }) => application !== metadataName),
      ...parts.flatMap(part => ('problems' in part ? [part] : [])),
    ],
  }
}

/** Returns an application as a Swarm can have it, or all that keeps it from that. */
function applicationFor(
  desired: Pick<DesiredState, 'environment' | 'ingress'>,
  application: Application,
  options: SwarmOptions,
): Application | Blocked {
  const { name, services } = application
  const problems = services.flatMap(service =>
    lacksOf(desired, name, service, options).map(
      (lack): Problem => ({ code: 'swarm-unsupported', message: `${name}: ${service.name} ${lack}` }),
    ),
  )
  const [first, ...others] = problems
  if (first !== undefined) return { application: name, problems: [first, ...others] }
  return {
    ...application,
    services: services.map(service => serviceFor(desired.environment, service, options)),
  }
}

function serviceFor(
  environment: string,
  service: Service,
  { endpoint, publish, ingress = {} }: SwarmOptions,
): Service {
  const [instance] = service.instances
  if (instance === undefined)
    return { ...service, ...optional('resting', service.resting && restingFor(environment, service.resting)) }
  const [first] = instance.containers
  const isIngress = routingOf(service) !== undefined
  const replicas = service.isGlobal ? 'global' : service.instances.length
  const constraints = isIngress ? ingress.constraints : service.nodes && constraintsOf(service.nodes)
  const gate = backendOf(service)?.gate
  const runs: SwarmService = {
    replicas,
    update: swarmUpdate(service, { replicas, publish }),
    // Behind one address, the ingress could not tell tasks apart, and would reuse connections to one that ends.
    endpoint: gate === undefined ? endpoint : 'dnsrr',
    // What publishes nothing is not replaced where only this changes.
    ...((first.ports ?? []).length === 0 ? {} : { publish }),
    ...optional('constraints', constraints),
    ...(replicas === 'global' ? {} : optional('spread', service.spread)),
    ...optional('platform', first.image.platform),
    ...optional('gate', gate && { network: overlayGate(gate.network).name, alias: gate.alias }),
  }
  return {
    ...service,
    ...optional('traffic', service.traffic && onOverlayGates(service.traffic)),
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

/** Only its networks and images count. */
function restingFor(environment: string, { instances: [instance], jobs }: Resting): Resting {
  return {
    instances: [{ ...instance, ...onOverlays(environment, instance) }],
    jobs: jobs.map(job => jobFor(environment, job)),
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
  const overlay = ({ pool: _, ...one }: Network): Network =>
    one.mode === 'gate' ? overlayGate(one) : { ...one, name: overlayName(one.name, environment) }
  return {
    network: overlay(network),
    ...optional('attachments', attachments?.map(overlay)),
    volumes: [],
  }
}

function onOverlayGates(traffic: Traffic): Traffic {
  if (traffic.role === 'proxy') {
    const { routing } = traffic
    return { ...traffic, routing: { ...routing, networks: routing.networks.map(overlayGate) } }
  }
  return { ...traffic, gate: { ...traffic.gate, network: overlayGate(traffic.gate.network) } }
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
