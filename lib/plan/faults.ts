import type { Service } from '../state/application.ts'
import type { LiveContainer } from '../state/live.ts'
import type { Network } from '../state/network.ts'
import { isGate, type Route } from '../state/route.ts'
import { isHead, isRunning, type LiveInstance, type WantedInstance } from './instance.ts'
import { livenessOf } from './liveness.ts'

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

/** What of a matched instance is not as it is to be. */
export function faultsOf(wanted: WantedInstance, live: LiveInstance, service: Service): readonly Fault[] {
  if (service.external) return externalFaults(wanted, live, service)
  const { network, attachments = [], containers } = wanted.instance
  const reports = live.containers.flatMap(({ checkOutput = '' }) => checkOutput.split('\n'))
  return live.containers.flatMap(container => {
    const networks = isHead(container, live) ? [network, ...attachments] : []
    const spec = containers.find(({ name }) => name === container.container)
    return [
      standstillOf(container),
      ...networks.map(one => lossOf(container, one)),
      livenessOf(container, spec, reports),
      ...(isHead(container, live)
        ? [admissionOf(live, container, service), outdatedOf(container, service)]
        : []),
    ].flatMap(what => (what === undefined ? [] : [{ live, wanted, container, what }]))
  })
}

/** How the operator's own ingress runs is the operator's business. */
function externalFaults(wanted: WantedInstance, live: LiveInstance, service: Service): readonly Fault[] {
  const [container] = live.containers
  const what = outdatedOf(container, service)
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

function outdatedOf({ loaded, networks }: LiveContainer, { proxy }: Service): FaultKind | undefined {
  if (proxy === undefined) return undefined
  const gates = networks.filter(isGate)
  const isAtAll =
    gates.length === proxy.networks.length && proxy.networks.every(({ name }) => gates.includes(name))
  return isAtAll && loaded === proxy.mark ? undefined : { is: 'outdated', routes: proxy.routes }
}

function standstillOf({ state, exitCode, role, isCutOff }: LiveContainer): FaultKind | undefined {
  if (role === 'init' && state === 'exited' && exitCode === 0) return undefined
  if (state === 'running' || state === 'restarting') return isCutOff ? { is: 'cut-off' } : undefined
  if (state === 'paused') return { is: 'paused' }
  return { is: 'stopped', ...(exitCode === undefined ? {} : { exitCode }) }
}

function lossOf({ networks }: LiveContainer, network: Network): FaultKind | undefined {
  return networks.includes(network.name) ? undefined : { is: 'detached', network }
}
