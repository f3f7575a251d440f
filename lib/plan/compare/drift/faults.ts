import type { Service } from '../../../state/application/application.ts'
import type { Container } from '../../../state/application/container/container.ts'
import { isOfOperator } from '../../../state/application/ingress/external.ts'
import { ingressName, isGate, type Route } from '../../../state/application/ingress/route.ts'
import { routingOf } from '../../../state/application/ingress/traffic.ts'
import { isMetadataNetwork, metadataName, type ToldManifest } from '../../../state/application/metadata.ts'
import type { Network } from '../../../state/application/network.ts'
import type { LiveContainer } from '../../../state/running/live.ts'
import type { ContainerPlace } from '../../step/container-place.ts'
import { isHead, isRunning, type LiveInstance, type WantedInstance } from '../instance/instance.ts'
import { type Alteration, alterationsOf } from './alterations.ts'
import { livenessOf } from './liveness.ts'

/** Returns the gates with instances of applications. The ingress does not count. */
export function mannedGates(containers: readonly LiveContainer[]): ReadonlySet<string> {
  const instances = containers.filter(({ service }) => service !== ingressName)
  return new Set(instances.flatMap(({ networks }) => networks.filter(isGate)))
}

/** What happened to one container of a matched instance from outside. */
export type Fault = {
  readonly live: LiveInstance
  readonly wanted: WantedInstance
  readonly container: LiveContainer
  readonly what: FaultKind
}

export type FaultKind =
  | { readonly is: 'stopped'; readonly exitCode?: number }
  | { readonly is: 'paused' }
  | { readonly is: 'detached'; readonly network: Network }
  /** Others are to reach it on a further network, and it is not there yet. */
  | { readonly is: 'unreached'; readonly network: Network }
  /** It is attached, but others do not reach it there by its names. */
  | { readonly is: 'nameless'; readonly network: Network }
  /** Somebody attached it to another network. */
  | { readonly is: 'attached'; readonly network: string }
  /** Somebody changed its limits or its restart policy. */
  | { readonly is: 'altered'; readonly alterations: readonly Alteration[]; readonly spec: Container }
  /** Somebody renamed it. */
  | { readonly is: 'misnamed'; readonly bears: string }
  /** The metadata service does not know the pod any more. */
  | { readonly is: 'unregistered'; readonly metadata: ToldManifest }
  /** Its sandbox was restarted without it. */
  | { readonly is: 'cut-off' }
  /** It is ready, and receives no requests yet (P12). */
  | { readonly is: 'shut-out' }
  /** It receives requests, although it is not ready for them or must not receive any. */
  | { readonly is: 'not-ready' }
  /** The ingress has not loaded the desired routes, or is not attached to all of their gates. */
  | { readonly is: 'outdated'; readonly routes: readonly Route[] }
  /** Its liveness probe says that it has to be restarted (A44). */
  | { readonly is: 'not-alive'; readonly words: string }

/** Returns what differs in a matched instance. `manned` are the gates with instances. */
export function faultsOf(
  wanted: WantedInstance,
  live: LiveInstance,
  service: Service,
  manned: ReadonlySet<string>,
): readonly Fault[] {
  if (isOfOperator(service)) return externalFaults(wanted, live, service, manned)
  const { network, attachments = [], reached = [] } = wanted.instance
  const reports = live.containers.flatMap(({ checkOutput }) => checkOutput?.split('\n') ?? [])
  const faults: Fault[] = []
  for (const container of live.containers) {
    const add = (what: FaultKind | undefined) => {
      if (what !== undefined) faults.push({ live, wanted, container, what })
    }
    const made = wanted.containers.find(({ spec: { name } }) => name === container.container)
    const isOnNetworks = isHead(container, live)
    if (container.bears !== undefined) add({ is: 'misnamed', bears: container.bears })
    add(standstillOf(container))
    if (isOnNetworks) {
      const networks = [network, ...attachments]
      for (const one of networks) add(lossOf(container, one))
      for (const one of reached) add(unreachedOn(container, one))
      if (made !== undefined) add(namelessnessOf(container, made.placement))
      for (const strange of strangeNetworksOf(container, networks)) add(strange)
    }
    add(alteredIn(container, made?.spec))
    add(unregisteredIn(container, made?.spec))
    add(livenessOf(container, made?.spec, reports))
    if (isOnNetworks) {
      add(admissionOf(live, container, service))
      add(outdatedOf(container, service, manned))
    }
  }
  return faults
}

/**
 * What is stopped in an instance, or receives requests at the wrong time. `wanted` is absent if it is no longer known what
 * the instance was made from.
 */
export type Standstill = Omit<Fault, 'wanted'> & Partial<Pick<Fault, 'wanted'>>

/** Returns what of it shows without knowing what the instance was made from. */
export function standstillsOf(live: LiveInstance, service: Service): readonly Standstill[] {
  return live.containers.flatMap(container => {
    const isReached = isHead(container, live) && container.service !== ingressName
    return [standstillOf(container), isReached ? admissionOf(live, container, service) : undefined].flatMap(
      what => (what === undefined ? [] : [{ live, container, what }]),
    )
  })
}

/** Only the operator decides how the operator's own ingress runs. */
function externalFaults(
  wanted: WantedInstance,
  live: LiveInstance,
  service: Service,
  manned: ReadonlySet<string>,
): readonly Fault[] {
  const [container] = live.containers
  const what = outdatedOf(container, service, manned)
  return what === undefined ? [] : [{ live, wanted, container, what }]
}

/** Whether an instance receives requests exactly when it is ready for them. */
function admissionOf(live: LiveInstance, head: LiveContainer, { traffic }: Service): FaultKind | undefined {
  if (traffic?.role === 'proxy' || head.state !== 'running') return undefined
  const isReached = head.networks.some(isGate) && head.isDraining !== true
  const isReady = live.containers.every(({ health }) => health === 'healthy' || health === 'none')
  if (isReached) return traffic === undefined || !isReady ? { is: 'not-ready' } : undefined
  return traffic !== undefined && isReady && isRunning(live) ? { is: 'shut-out' } : undefined
}

/** A gate without instances may be missing, because it may have been impossible to make. */
function outdatedOf(
  { loaded, networks }: LiveContainer,
  service: Service,
  manned: ReadonlySet<string>,
): FaultKind | undefined {
  const routing = routingOf(service)
  if (routing === undefined) return undefined
  const gates = networks.filter(isGate)
  const wanted = routing.networks.map(({ name }) => name)
  const isAtAll =
    gates.every(name => wanted.includes(name)) &&
    wanted.every(name => gates.includes(name) || !manned.has(name))
  return isAtAll && loaded === routing.mark ? undefined : { is: 'outdated', routes: routing.routes }
}

function standstillOf({ state, exitCode, role, isCutOff, isDone }: LiveContainer): FaultKind | undefined {
  if (isDone || (role === 'init' && state === 'exited' && exitCode === 0)) return undefined
  if (isCutOff) return { is: 'cut-off' }
  if (state === 'running' || state === 'restarting') return undefined
  if (state === 'paused') return { is: 'paused' }
  return { is: 'stopped', ...(exitCode === undefined ? {} : { exitCode }) }
}

/** Whether others reach it by its names on its own network. On further networks it has no names. */
function namelessnessOf(
  { networks, settings }: LiveContainer,
  { network, aliases }: ContainerPlace,
): FaultKind | undefined {
  const there = settings?.aliases[network.name]
  if (network.mode === 'host' || there === undefined || !networks.includes(network.name)) return undefined
  return aliases.every(alias => there.includes(alias)) ? undefined : { is: 'nameless', network }
}

/**
 * Returns further networks to which it is attached. Gates are handled separately, and those between pods and the
 * metadata service go together with it.
 */
function strangeNetworksOf(
  { networks, service }: LiveContainer,
  wanted: readonly Network[],
): readonly FaultKind[] {
  const isStrange = (name: string) =>
    !wanted.some(network => network.name === name) &&
    !isGate(name) &&
    !(service === metadataName && isMetadataNetwork(name))
  return networks.filter(isStrange).map(network => ({ is: 'attached', network }))
}

function alteredIn({ settings }: LiveContainer, spec: Container | undefined): FaultKind | undefined {
  if (settings === undefined || spec === undefined) return undefined
  const alterations = alterationsOf(spec, settings.limits)
  return alterations.length === 0 ? undefined : { is: 'altered', alterations, spec }
}

function unregisteredIn(
  { isUnregistered }: LiveContainer,
  spec: Container | undefined,
): FaultKind | undefined {
  const metadata = spec?.metadata
  return isUnregistered && metadata !== undefined ? { is: 'unregistered', metadata } : undefined
}

function unreachedOn({ networks }: LiveContainer, network: Network): FaultKind | undefined {
  return networks.includes(network.name) ? undefined : { is: 'unreached', network }
}

function lossOf({ networks }: LiveContainer, network: Network): FaultKind | undefined {
  return networks.includes(network.name) ? undefined : { is: 'detached', network }
}
