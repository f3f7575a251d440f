import type { Service } from '../state/application.ts'
import type { Container } from '../state/container.ts'
import type { LiveContainer } from '../state/live.ts'
import type { Network } from '../state/network.ts'
import { ingressName, isGate, type Route } from '../state/route.ts'
import { type Alteration, alterationsOf } from './alterations.ts'
import { isHead, isRunning, type LiveInstance, type WantedInstance } from './instance.ts'
import { livenessOf } from './liveness.ts'
import type { Placement } from './step.ts'

/** The gates at which instances of applications are; the ingress is none. */
export function mannedGates(containers: readonly LiveContainer[]): ReadonlySet<string> {
  const instances = containers.filter(({ service }) => service !== ingressName)
  return new Set(instances.flatMap(({ networks }) => networks.filter(isGate)))
}

/** What the world did to one container of a matched instance. */
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
  /** It is attached, and others do not reach it there by its names. */
  | { readonly is: 'nameless'; readonly network: Network }
  /** Somebody attached it to another network. */
  | { readonly is: 'attached'; readonly network: string }
  /** Somebody changed its limits or its restart policy. */
  | { readonly is: 'altered'; readonly alterations: readonly Alteration[]; readonly spec: Container }
  /** Somebody gave it another name. */
  | { readonly is: 'misnamed'; readonly bears: string }
  /** Its sandbox was started again without it. */
  | { readonly is: 'cut-off' }
  /** It is ready, and no requests reach it yet (P12). */
  | { readonly is: 'shut-out' }
  /** Requests reach it, and it is not ready for them, or is to get none. */
  | { readonly is: 'not-ready' }
  /** The ingress has not loaded the routes that are wanted, or is not at all of their gates. */
  | { readonly is: 'outdated'; readonly routes: readonly Route[] }
  /** Its liveness probe says that it has to be started again (A44). */
  | { readonly is: 'not-alive'; readonly words: string }

/** What of a matched instance is not as it is to be; `manned` are the gates at which instances are. */
export function faultsOf(
  wanted: WantedInstance,
  live: LiveInstance,
  service: Service,
  manned: ReadonlySet<string>,
): readonly Fault[] {
  if (service.external) return externalFaults(wanted, live, service, manned)
  const { network, attachments = [] } = wanted.instance
  const reports = live.containers.flatMap(({ checkOutput = '' }) => checkOutput.split('\n'))
  return live.containers.flatMap(container => {
    const networks = isHead(container, live) ? [network, ...attachments] : []
    const made = wanted.containers.find(({ spec: { name } }) => name === container.container)
    const spec = made?.spec
    return [
      container.bears === undefined ? undefined : ({ is: 'misnamed', bears: container.bears } as const),
      standstillOf(container),
      ...networks.map(one => lossOf(container, one)),
      made && isHead(container, live) ? namelessnessOf(container, made.placement) : undefined,
      ...(isHead(container, live) ? strangeNetworksOf(container, networks) : []),
      alteredIn(container, spec),
      livenessOf(container, spec, reports),
      ...(isHead(container, live)
        ? [admissionOf(live, container, service), outdatedOf(container, service, manned)]
        : []),
    ].flatMap(what => (what === undefined ? [] : [{ live, wanted, container, what }]))
  })
}

/** How the operator's own ingress runs is the operator's business. */
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

/** Whether requests reach an instance exactly when it is ready for them. */
function admissionOf(
  live: LiveInstance,
  head: LiveContainer,
  { gate, proxy }: Service,
): FaultKind | undefined {
  if (proxy !== undefined || head.state !== 'running') return undefined
  const isReached = head.networks.some(isGate) && head.isDraining !== true
  const isReady = live.containers.every(({ health }) => health === 'healthy' || health === 'none')
  if (isReached) return gate === undefined || !isReady ? { is: 'not-ready' } : undefined
  return gate !== undefined && isReady && isRunning(live) ? { is: 'shut-out' } : undefined
}

/** A gate at which there is nobody may be missing: perhaps it could not be made. */
function outdatedOf(
  { loaded, networks }: LiveContainer,
  { proxy }: Service,
  manned: ReadonlySet<string>,
): FaultKind | undefined {
  if (proxy === undefined) return undefined
  const gates = networks.filter(isGate)
  const wanted = proxy.networks.map(({ name }) => name)
  const isAtAll =
    gates.every(name => wanted.includes(name)) &&
    wanted.every(name => gates.includes(name) || !manned.has(name))
  return isAtAll && loaded === proxy.mark ? undefined : { is: 'outdated', routes: proxy.routes }
}

function standstillOf({ state, exitCode, role, isCutOff }: LiveContainer): FaultKind | undefined {
  if (role === 'init' && state === 'exited' && exitCode === 0) return undefined
  if (state === 'running' || state === 'restarting') return isCutOff ? { is: 'cut-off' } : undefined
  if (state === 'paused') return { is: 'paused' }
  return { is: 'stopped', ...(exitCode === undefined ? {} : { exitCode }) }
}

/** Whether others reach it by its names on its own network; on further ones it has none. */
function namelessnessOf(
  { networks, settings }: LiveContainer,
  { network, aliases }: Placement,
): FaultKind | undefined {
  const there = settings?.aliases[network.name]
  if (network.mode === 'host' || there === undefined || !networks.includes(network.name)) return undefined
  return aliases.every(alias => there.includes(alias)) ? undefined : { is: 'nameless', network }
}

/** What it is attached to besides: where requests of users reach it, is another matter. */
function strangeNetworksOf({ networks }: LiveContainer, wanted: readonly Network[]): readonly FaultKind[] {
  return networks
    .filter(name => !isGate(name) && !wanted.some(network => network.name === name))
    .map(network => ({ is: 'attached', network }))
}

function alteredIn({ settings }: LiveContainer, spec: Container | undefined): FaultKind | undefined {
  if (settings === undefined || spec === undefined) return undefined
  const alterations = alterationsOf(spec, settings.limits)
  return alterations.length === 0 ? undefined : { is: 'altered', alterations, spec }
}

function lossOf({ networks }: LiveContainer, network: Network): FaultKind | undefined {
  return networks.includes(network.name) ? undefined : { is: 'detached', network }
}
