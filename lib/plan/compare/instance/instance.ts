import { onceFor } from '../../../memo/once-for.ts'
import { optional } from '../../../object.ts'
import type { Application, Instance, Service } from '../../../state/application/application.ts'
import type { Container } from '../../../state/application/container/container.ts'
import { fingerprintOf } from '../../../state/application/fingerprint.ts'
import { reifiedPod } from '../../../state/application/pod/reified-pod.ts'
import { swarmName } from '../../../state/application/swarm/swarm-service.ts'
import { hasRun } from '../../../state/running/has-run.ts'
import { containerName, instanceName } from '../../../state/running/instance-name.ts'
import { isOfInstance } from '../../../state/running/job-container.ts'
import type { LiveContainer, Role } from '../../../state/running/live.ts'
import { compareText } from '../../../text/order.ts'
import type { ContainerPlace } from '../../step/container-place.ts'
import type { Step } from '../../step/step.ts'

/** One instance that runs or ran. Its containers have the same number and fingerprint. */
export type LiveInstance = {
  readonly number: number
  readonly fingerprint: string
  readonly containers: readonly [LiveContainer, ...LiveContainer[]]
}

/** One instance that is to run. */
export type WantedInstance = {
  readonly number: number
  readonly fingerprint: string
  readonly instance: Instance
  /** In the order in which they are created: a sandbox first. */
  readonly containers: readonly WantedContainer[]
}

export type WantedContainer = {
  readonly engineName: string
  readonly placement: ContainerPlace
  readonly spec: Container
}

/**
 * Groups the containers of one service into instances, in the order of their numbers. Jobs and kept failed containers
 * are left out.
 */
export function groupInstances(containers: readonly LiveContainer[]): readonly LiveInstance[] {
  const [only] = containers
  if (only !== undefined && containers.length === 1) return isOfInstance(only) ? [instanceWith([only])] : none
  const groups = new Map<string, [LiveContainer, ...LiveContainer[]]>()
  for (const container of containers) {
    if (!isOfInstance(container)) continue
    const key = `${container.instance} ${container.fingerprint}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [container])
    else group.push(container)
  }
  return [...groups.values()]
    .map(instanceWith)
    .sort((a, b) => a.number - b.number || compareText(a.fingerprint, b.fingerprint))
}

function instanceWith(containers: LiveInstance['containers']): LiveInstance {
  const [{ instance: number, fingerprint }] = containers
  return { number, fingerprint, containers }
}

/** What instances that differ only in their numbers have in common. It is made once, and their steps share it (G24). */
export type Alike = Pick<
  ContainerPlace,
  | 'application'
  | 'service'
  | 'version'
  | 'commit'
  | 'fingerprint'
  | 'network'
  | 'attachments'
  | 'reached'
  | 'aliases'
>

/** Returns what all replicas of an instance have in common. */
export function alikeOf(
  environment: string,
  application: Application,
  service: Service,
  instance: Instance,
): Alike {
  const known = alikes(application)(service)(instance)
  const alike = known.get(environment) ?? makeAlike(environment, application, service, instance)
  known.set(environment, alike)
  return alike
}

/** By the name of the environment. */
const alikes = onceFor((_: Application) =>
  onceFor((_: Service) => onceFor((_: Instance) => new Map<string, Alike>())),
)

function makeAlike(
  environment: string,
  application: Application,
  service: Service,
  instance: Instance,
): Alike {
  return {
    application: application.name,
    service: service.name,
    ...(application.version === undefined ? {} : { version: application.version }),
    ...(application.commit === undefined ? {} : { commit: application.commit }),
    fingerprint: fingerprintOf(
      { environment, application: application.name, service: service.name },
      instance,
    ),
    network: instance.network,
    attachments: instance.attachments ?? none,
    ...optional('reached', instance.reached),
    aliases: [...new Set([service.name, ...(instance.aliases ?? [])])],
  }
}

/**
 * Returns an instance of a service with its number, its fingerprint and the names of its containers. It is made once, and
 * all sites share it.
 */
export function wantedInstance(
  environment: string,
  application: Application,
  service: Service,
  instance: Instance,
  number: number,
): WantedInstance {
  const alike = alikeOf(environment, application, service, instance)
  const known = numbered(alike)
  const wanted = known.get(number) ?? makeInstance(environment, instance, number, alike)
  known.set(number, wanted)
  return wanted
}

/** By the number of the instance. */
const numbered = onceFor((_: Alike) => new Map<number, WantedInstance>())

function makeInstance(environment: string, instance: Instance, number: number, alike: Alike): WantedInstance {
  const { service, fingerprint } = alike
  const base =
    (instance.runs && swarmName(environment, alike.application, service)) ??
    instanceName({ environment, service, instance: number, fingerprint })
  const { sandbox, sharesProcesses = true, init = [], containers } = instance
  const shared = {
    ...alike,
    instance: number,
    instanceName: base,
    ...volumesOf(instance),
    ...optional('runs', instance.runs),
  }
  const inside =
    sandbox === undefined
      ? {}
      : {
          attachments: none,
          aliases: none,
          joins: {
            sandbox: base,
            processes: sharesProcesses,
            ...(sandbox.metadata === undefined ? {} : { isOfPod: true as const }),
          },
        }
  const member =
    (role: Role) =>
    (spec: Container): WantedContainer => ({
      engineName: containerName(base, spec.name, sandbox === undefined && containers.length === 1),
      placement: { ...shared, role, ...inside },
      spec,
    })
  const own = sharesProcesses ? {} : { ownProcesses: true as const }
  const told = sandbox?.metadata === undefined ? {} : optional('pod', reifiedPod(instance))
  const around: readonly WantedContainer[] =
    sandbox === undefined
      ? []
      : [{ engineName: base, placement: { ...shared, role: 'sandbox', ...own, ...told }, spec: sandbox }]
  return {
    number,
    fingerprint,
    instance,
    containers: [...around, ...init.map(member('init')), ...containers.map(member('app'))],
  }
}

const none: readonly never[] = []

/** Returns what a placement says of the named volumes of an instance or a job: nothing if it has none. */
export function volumesOf({ volumes }: Pick<Instance, 'volumes'>): Pick<ContainerPlace, 'volumes'> {
  return volumes.length === 0 ? {} : { volumes }
}

/** Returns the step that creates a container, or a job of a Swarm. */
export function createStep({ engineName, placement, spec }: WantedContainer): Step {
  const { runs } = placement
  if (runs !== undefined)
    return { do: 'create-job', service: engineName, placement: { ...placement, runs }, spec }
  return { do: 'create-container', container: engineName, placement, spec }
}

/** Whether the container has a network of its own. The others use the network of their instance's sandbox. */
export function isHead(container: Head, instance: Members): boolean {
  const hasSandbox = instance.containers.some(other => roleOf(other) === 'sandbox')
  return !hasSandbox || roleOf(container) === 'sandbox'
}

/** Returns the role of an existing or a desired container. */
export function roleOf(container: LiveContainer | WantedContainer): Role {
  return 'placement' in container ? container.placement.role : container.role
}

export type Together = WantedInstance | LiveInstance

export type Head = WantedContainer | LiveContainer

/** Containers of one instance. */
export type Members = { readonly containers: readonly Head[] }

/** Returns the container of an instance that is attached to its networks. */
export function headOf(instance: LiveInstance): LiveContainer | undefined
export function headOf(instance: Together): Head | undefined
export function headOf(instance: Together): Head | undefined {
  return instance.containers.find(container => isHead(container, instance))
}

/** Returns the networks to which a container is attached; none if it is yet to be created. */
export function attachedNetworks(container: Head): readonly string[] {
  return 'placement' in container ? [] : container.networks
}

/** Whether a part of the instance runs or is paused, so that it may hold what another one needs. */
export function isUp(instance: LiveInstance): boolean {
  return instance.containers.some(
    ({ state }) => state === 'running' || state === 'restarting' || state === 'paused',
  )
}

/**
 * Returns an instance with only those of its containers that ran, which may be started again as they are; none if it has
 * no such container of its own network.
 */
export function thatRan(instance: LiveInstance): readonly LiveInstance[] {
  const { containers } = instance
  if (containers.every(hasRun)) return [instance]
  const head = headOf(instance)
  if (head === undefined || !hasRun(head)) return []
  return [{ ...instance, containers: [head, ...containers.filter(one => one !== head && hasRun(one))] }]
}

/** Whether somebody paused it: such a container cannot be started. */
export function isPaused(instance: LiveInstance): boolean {
  return instance.containers.some(({ state }) => state === 'paused')
}

/** Whether all containers of the instance run, except those that have run to their end. */
export function isRunning(instance: LiveInstance): boolean {
  return instance.containers.every(
    ({ role, state, isDone }) => role === 'init' || isDone || state === 'running' || state === 'restarting',
  )
}
