import { ingressForTasks, staticsForTasks, volumesForTasks } from '../../ingress/on-swarm.ts'
import type { Application, Instance, Service } from '../../state/application/application.ts'
import type { DesiredState } from '../../state/application/desired.ts'
import type { IngressSettings } from '../../state/application/ingress/ingress-settings.ts'
import type { Routing } from '../../state/application/ingress/route.ts'
import { routingOf } from '../../state/application/ingress/traffic.ts'
import type { SwarmIngress, SwarmOptions } from '../../state/application/swarm/swarm-service.ts'

/**
 * Returns the ingress as a Swarm can run it, on all gates from its start: a task cannot be attached to a network later.
 * None if the operator runs it, whose applications with routes are blocked. Pure.
 */
export function ingressFor(
  application: Application,
  { ingress: settings }: Pick<DesiredState, 'ingress'>,
  { ingress = {} }: SwarmOptions,
): readonly Application[] {
  if (settings === undefined || settings.isExternal) return []
  const services = application.services.map(service => {
    const routing = routingOf(service)
    return routing === undefined ? staticsOnSwarm(service) : proxyOnSwarm(service, routing, settings, ingress)
  })
  return [{ ...application, services }]
}

/** Tasks that crash take a moment longer to do so than containers of a host. */
const healthyMs = 2_000

function proxyOnSwarm(
  { strategy, ...service }: Service,
  routing: Routing,
  settings: IngressSettings,
  { isPinned, storage }: SwarmIngress,
): Service {
  const isKept = isPinned === true || storage !== undefined
  const instances = service.instances.map(
    ({ containers: [container], volumes, ...instance }): Instance => ({
      ...instance,
      containers: [ingressForTasks(container, routing, settings, isKept)],
      volumes: isKept ? volumesForTasks(volumes, storage) : [],
      attachments: routing.networks,
    }),
  )
  return {
    ...service,
    ...(isPinned ? {} : { isGlobal: true }),
    strategy: { ...strategy, healthyMs },
    instances,
  }
}

function staticsOnSwarm(service: Service): Service {
  const instances = service.instances.map(
    ({ containers: [container], ...instance }): Instance => ({
      ...instance,
      containers: [staticsForTasks(container)],
    }),
  )
  return { ...service, instances }
}
