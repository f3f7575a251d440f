import type { Application, Instance, Service } from '../state/application.ts'
import type { Container } from '../state/container.ts'
import { fingerprintOf, shortFingerprint } from '../state/fingerprint.ts'
import { isOfInstance } from '../state/job-container.ts'
import type { LiveContainer, Role } from '../state/live.ts'
import type { Network } from '../state/network.ts'
import type { Volume } from '../state/volume.ts'
import type { Placement, Step } from './step.ts'

/** One instance that runs, or ran: its containers share one number and one fingerprint. */
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
  readonly placement: Placement
  readonly spec: Container
}

/** The containers of one service as instances, in the order of their numbers; jobs, and what failed and was kept, are none. */
export function groupInstances(containers: readonly LiveContainer[]): readonly LiveInstance[] {
  const groups = new Map<string, [LiveContainer, ...LiveContainer[]]>()
  for (const container of containers) {
    if (!isOfInstance(container)) continue
    const key = `${container.instance} ${container.fingerprint}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [container])
    else group.push(container)
  }
  return [...groups.values()]
    .map(group => ({ number: group[0].instance, fingerprint: group[0].fingerprint, containers: group }))
    .sort((a, b) => a.number - b.number || (a.fingerprint < b.fingerprint ? -1 : 1))
}

/** What instances have in common that differ in nothing but their number: made once, and shared by their steps (G24). */
export type Alike = Pick<
  Placement,
  'application' | 'service' | 'version' | 'commit' | 'fingerprint' | 'network' | 'attachments' | 'aliases'
>

/** What all instances that are this one have in common. */
export function alikeOf(
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
    aliases: [...new Set([service.name, ...(instance.aliases ?? [])])],
  }
}

/** An instance of a service with its number, its fingerprint and the names its containers get. */
export function wantedInstance(
  environment: string,
  instance: Instance,
  number: number,
  alike: Alike,
): WantedInstance {
  const { service, fingerprint } = alike
  const base = `${environment}.${service}.${number}.${shortFingerprint(fingerprint)}`
  const { sandbox, sharesProcesses = true, init = [], containers } = instance
  const shared = { ...alike, instance: number, instanceName: base }
  const inside =
    sandbox === undefined
      ? {}
      : { attachments: none, aliases: none, joins: { sandbox: base, processes: sharesProcesses } }
  const member =
    (role: Role) =>
    (spec: Container): WantedContainer => ({
      engineName: sandbox === undefined && containers.length === 1 ? base : `${base}.${spec.name}`,
      placement: { ...shared, role, ...inside },
      spec,
    })
  const own = sharesProcesses ? {} : { ownProcesses: true as const }
  const around: readonly WantedContainer[] =
    sandbox === undefined
      ? []
      : [{ engineName: base, placement: { ...shared, role: 'sandbox', ...own }, spec: sandbox }]
  return {
    number,
    fingerprint,
    instance,
    containers: [...around, ...init.map(member('init')), ...containers.map(member('app'))],
  }
}

const none: readonly never[] = []

/** Everything that must be there before the instance can be created; touches nothing that runs. */
export function prepareSteps({ containers, instance }: WantedInstance): readonly Step[] {
  return [
    ...containers.flatMap(({ spec }) => pullSteps(spec)),
    ...checkSteps(
      containers.map(({ spec }) => spec),
      instance.volumes,
    ),
    ...[instance.network, ...(instance.attachments ?? [])].flatMap(networkSteps),
    ...instance.volumes.map((volume): Step => ({ do: 'create-volume', volume })),
  ]
}

export function pullSteps({ image }: Container): readonly Step[] {
  return image.pin.state === 'pinned'
    ? [{ do: 'pull-image', reference: image.reference, digest: image.pin.digest }]
    : []
}

/**
 * What lies below an allowed directory of the host is looked at, be it mounted or bound by a volume; the directory
 * itself is the operator's word.
 */
export function checkSteps(containers: readonly Container[], volumes: readonly Volume[]): readonly Step[] {
  const mounted = containers.flatMap(({ image, mounts = [] }) =>
    mounts.flatMap(mount =>
      mount.kind === 'host' && mount.within !== undefined
        ? [{ path: mount.source, within: mount.within, image }]
        : [],
    ),
  )
  const [first] = containers
  const bound = volumes.flatMap(({ binds }) =>
    binds === undefined || first === undefined ? [] : [{ ...binds, image: first.image }],
  )
  return [...mounted, ...bound].flatMap(({ path, within, image }): Step[] =>
    path === within ? [] : [{ do: 'check-host-path', path, within, image }],
  )
}

export function networkSteps(network: Network): readonly Step[] {
  return network.mode === 'host' ? [] : [{ do: 'create-network', network }]
}

export function createStep({ engineName, placement, spec }: WantedContainer): Step {
  return { do: 'create-container', container: engineName, placement, spec }
}

/** Whether the container has a network of its own; the others live in their instance's sandbox. */
export function isHead(container: LiveContainer | WantedContainer, instance: Together): boolean {
  const hasSandbox = instance.containers.some(other => roleOf(other) === 'sandbox')
  return !hasSandbox || roleOf(container) === 'sandbox'
}

export function roleOf(container: LiveContainer | WantedContainer): Role {
  return 'placement' in container ? container.placement.role : container.role
}

export type Together = WantedInstance | LiveInstance

export type Head = WantedContainer | LiveContainer

/** The container of an instance that is attached to its networks. */
export function headOf(instance: LiveInstance): LiveContainer | undefined
export function headOf(instance: Together): Head | undefined
export function headOf(instance: Together): Head | undefined {
  return instance.containers.find(container => isHead(container, instance))
}

/** The networks that a container is attached to; of one that is yet to be made, none. */
export function networksOf(container: Head): readonly string[] {
  return 'placement' in container ? [] : container.networks
}

/** Whether anything of the instance runs, or is paused in the middle of it: it may hold what another one needs. */
export function isUp(instance: LiveInstance): boolean {
  return instance.containers.some(
    ({ state }) => state === 'running' || state === 'restarting' || state === 'paused',
  )
}

/** Somebody paused it: it cannot be started, and starting it is not what it waits for. */
export function isPaused(instance: LiveInstance): boolean {
  return instance.containers.some(({ state }) => state === 'paused')
}

/** Whether every container of the instance runs that is to run on. */
export function isRunning(instance: LiveInstance): boolean {
  return instance.containers.every(
    ({ role, state }) => role === 'init' || state === 'running' || state === 'restarting',
  )
}
