import type { Service } from '../../state/application.ts'
import { loadedName } from '../../state/loaded.ts'
import { ingressName, isGate } from '../../state/route.ts'
import { type Head, headOf, type LiveInstance, networksOf, roleOf, type Together } from '../instance.ts'
import type { Step } from '../step.ts'

/** Lets requests reach instances of a service that has a gate. */
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

/** Whether requests are to reach an instance of the service, and do not. */
export function isShutOut(instance: LiveInstance, { gate }: Service): boolean {
  const head = headOf(instance)
  return gate !== undefined && (head?.isDraining === true || !head?.networks.includes(gate.network.name))
}

/** Takes requests away from instances that they reach, and go on: nobody has to wait for those under way. */
export function shutOutSteps(instances: readonly LiveInstance[]): readonly Step[] {
  return drainSteps(instances).map(step => ({ ...step, members: [] }))
}

type Drain = Extract<Step, { do: 'drain' }>

/** Takes requests away from instances that they reach. */
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

/** Attaches the ingress to the gates of what it has routes to; to one that could not be made it comes later. */
export function reachSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  return headsOf(proxy === undefined ? [] : instances).flatMap(head =>
    (proxy?.networks ?? [])
      .filter(({ name }) => !networksOf(head).includes(name))
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

/** Has the ingress load its routes, unless it has. */
export function loadSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  return proxy === undefined
    ? []
    : headsOf(instances)
        .filter(head => loadedOf(head) !== proxy.mark)
        .map(({ engineName: container }): Step => ({ do: 'load-routes', container, proxy }))
}

/** Takes the ingress, once it has loaded its routes, from the gates that none of them leads through any more. */
export function leaveSteps(instances: readonly Together[], { proxy }: Service): readonly Step[] {
  if (proxy === undefined) return []
  const wanted = proxy.networks.map(({ name }) => name)
  return headsOf(instances).flatMap(head =>
    networksOf(head)
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

/** Where instances get requests; the ingress is at all gates, and gets none. */
function atGates(instances: readonly LiveInstance[]) {
  return instances.flatMap(instance => {
    const head = headOf(instance)
    if (head === undefined || head.service === ingressName) return []
    return networksOf(head)
      .filter(isGate)
      .map(network => ({ instance, container: head.engineName, network }))
  })
}

function headsOf(instances: readonly Together[]): readonly Head[] {
  return instances.flatMap(instance => headOf(instance) ?? [])
}
