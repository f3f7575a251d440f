import type { Service } from '../../state/application/application.ts'
import { ingressName, isGate } from '../../state/application/route.ts'
import { loadedName } from '../../state/running/loaded.ts'
import {
  attachedNetworks,
  type Head,
  headOf,
  type LiveInstance,
  roleOf,
  type Together,
} from '../compare/instance.ts'
import type { Step } from '../step/step.ts'

/** Admits instances of a service with a gate to requests. */
export function admitSteps(instances: readonly Together[], { gate }: Service): readonly Step[] {
  if (gate === undefined) return []
  return headsOf(instances).map(
    ({ engineName: container }): Step => ({
      do: 'admit',
      container,
      network: gate.network.name,
      alias: gate.alias,
    }),
  )
}

/** Whether an instance of the service should receive requests, and does not. */
export function isShutOut(instance: LiveInstance, { gate }: Service): boolean {
  const head = headOf(instance)
  return gate !== undefined && (head?.isDraining === true || !head?.networks.includes(gate.network.name))
}

/** Takes requests from instances that keep running. Requests under way need not be waited for. */
export function shutOutSteps(instances: readonly LiveInstance[]): readonly Step[] {
  return drainSteps(instances).map(step => ({ ...step, members: [] }))
}

type Drain = Extract<Step, { do: 'drain' }>

/** Takes requests from instances that receive them. */
export function drainSteps(instances: readonly LiveInstance[]): readonly Drain[] {
  return atGates(instances).map(({ instance, container, network }) => ({
    do: 'drain',
    container,
    network,
    members: instance.containers.filter(one => roleOf(one) === 'app').map(({ engineName }) => engineName),
  }))
}

/** Takes instances from their gates for good. */
export function leaveGateSteps(instances: readonly LiveInstance[]): readonly Step[] {
  return atGates(instances).map(
    ({ container, network }): Step => ({ do: 'disconnect-network', container, network }),
  )
}

/** Attaches the ingress to the gates of its routes. A gate that could not be made is attached later. */
export function reachSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  return headsOf(proxy === undefined ? [] : instances).flatMap(head =>
    (proxy?.networks ?? [])
      .filter(({ name }) => !attachedNetworks(head).includes(name))
      .map(
        ({ name: network }): Step => ({
          do: 'connect-network',
          container: head.engineName,
          network,
          aliases: [],
          ifThere: true,
        }),
      ),
  )
}

/** Makes the ingress load its routes, unless it has. */
export function loadSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  return proxy === undefined
    ? []
    : headsOf(instances)
        .filter(head => loadedOf(head) !== proxy.mark)
        .map(({ engineName: container }): Step => ({ do: 'load-routes', container, proxy }))
}

/** Detaches the ingress, once it has loaded its routes, from gates that no route uses any more. */
export function leaveSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  if (proxy === undefined) return []
  const wanted = proxy.networks.map(({ name }) => name)
  return headsOf(instances).flatMap(head =>
    attachedNetworks(head)
      .filter(network => isGate(network) && !wanted.includes(network))
      .map(
        (network): Step => ({
          do: 'disconnect-network',
          container: isExternal(head) ? head.engineName : loadedName(head.engineName, proxy.mark),
          network,
        }),
      ),
  )
}

function loadedOf(head: Head): string | undefined {
  return 'placement' in head ? undefined : head.loaded
}

function isExternal(head: Head): boolean {
  return 'isExternal' in head
}

/** Returns the gates of instances. The ingress is on all gates, but receives no requests there. */
function atGates(instances: readonly LiveInstance[]) {
  return instances.flatMap(instance => {
    const head = headOf(instance)
    if (head === undefined || head.service === ingressName) return []
    return attachedNetworks(head)
      .filter(isGate)
      .map(network => ({ instance, container: head.engineName, network }))
  })
}

function headsOf(instances: readonly Together[]): readonly Head[] {
  return instances.flatMap(instance => headOf(instance) ?? [])
}
