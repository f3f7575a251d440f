import type { Service } from '../../../state/application/application.ts'
import { ingressName, isGate } from '../../../state/application/ingress/route.ts'
import { backendOf, routingOf } from '../../../state/application/ingress/traffic.ts'
import { loadedName } from '../../../state/running/loaded.ts'
import {
  attachedNetworks,
  type Head,
  headOf,
  type LiveInstance,
  roleOf,
  type Together,
} from '../../compare/instance/instance.ts'
import type { Step, StepOf } from '../../step/step.ts'

/** Admits instances of a service with a gate to requests. */
export function admitSteps(instances: readonly Together[], service: Service): readonly Step[] {
  const gate = backendOf(service)?.gate
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
export function isShutOut(instance: LiveInstance, service: Service): boolean {
  const gate = backendOf(service)?.gate
  const head = headOf(instance)
  return gate !== undefined && (head?.isDraining === true || !head?.networks.includes(gate.network.name))
}

/** Takes requests from instances that keep running. Requests under way need not be waited for. */
export function shutOutSteps(instances: readonly LiveInstance[]): readonly Step[] {
  return drainSteps(instances).map(step => ({ ...step, members: [] }))
}

type Drain = StepOf<'drain'>

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
export function reachSteps(instances: readonly Together[], service: Service): readonly Step[] {
  const routing = routingOf(service)
  return headsOf(routing === undefined ? [] : instances).flatMap(head =>
    (routing?.networks ?? [])
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
export function loadSteps(instances: readonly Together[], service: Service): readonly Step[] {
  const routing = routingOf(service)
  if (routing === undefined) return []
  return headsOf(instances)
    .filter(head => loadedOf(head) !== routing.mark)
    .map(({ engineName: container }): Step => ({ do: 'load-routes', container, routing }))
}

/** Detaches the ingress, once it has loaded its routes, from gates that no route uses any more. */
export function leaveSteps(instances: readonly Together[], service: Service): readonly Step[] {
  const routing = routingOf(service)
  if (routing === undefined) return []
  const wanted = routing.networks.map(({ name }) => name)
  return headsOf(instances).flatMap(head =>
    attachedNetworks(head)
      .filter(network => isGate(network) && !wanted.includes(network))
      .map(
        (network): Step => ({
          do: 'disconnect-network',
          container: isExternal(head) ? head.engineName : loadedName(head.engineName, routing.mark),
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
