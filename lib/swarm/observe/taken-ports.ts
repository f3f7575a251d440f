import type { Client } from '../../docker/api/client.ts'
import type { TakenPort } from '../../plan/resources.ts'
import { hostPort } from '../../state/application/claim.ts'
import type { OwnName } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { askFor } from '../api/asked.ts'
import { replicasOf, type ServiceSpec, type ToldService } from '../api/service.ts'
import { isOwn } from '../service/own.ts'
import { portsAsHost } from './as-host.ts'

/**
 * Returns the ports of nodes that others publish: services of which a task runs, and containers of the engine by which the
 * Swarm is asked. A service of which none runs has nothing: whoever asks for it may wait for a port that is ours.
 */
export async function portsOnSwarm(
  client: Client,
  owner: OwnName,
  signal: AbortSignal,
): Promise<readonly TakenPort[]> {
  const request = { method: 'GET', path: '/services', query: { status: true } } as const
  const [services, onHost] = await Promise.all([
    askFor<readonly ToldService[]>(client, 'list of services', request, signal),
    portsAsHost(client, signal),
  ])
  const others = services.filter(
    ({ Spec, ServiceStatus }) => !isOwn(Spec, owner) && (ServiceStatus?.RunningTasks ?? 0) > 0,
  )
  return [...others.flatMap(({ Spec }) => portsOf(Spec)), ...onHost]
}

function portsOf(spec: ServiceSpec): readonly TakenPort[] {
  return (spec.EndpointSpec?.Ports ?? []).flatMap(
    ({ PublishedPort, Protocol, PublishMode }): readonly TakenPort[] => {
      if (!PublishedPort) return []
      const port = hostPort({ published: PublishedPort, protocol: Protocol ?? 'tcp' })
      const isOnAll = PublishMode !== 'host' || isOnEachNode(spec)
      return port === undefined
        ? []
        : [{ port, holder: holderOf(spec), ...(isOnAll ? { isOnAll: true } : {}) }]
    },
  )
}

function isOnEachNode(spec: ServiceSpec): boolean {
  const { Constraints, Platforms } = spec.TaskTemplate.Placement ?? {}
  const isChosen = (Constraints ?? []).length + (Platforms ?? []).length > 0
  return replicasOf(spec) === 'global' && !isChosen
}

/** Names a service: in the words of its repository if Tallyman made it. */
function holderOf({ Name, Labels }: ServiceSpec): string {
  const [directory, source] = [label.directory, label.source].map(name => labelOf(Labels, name))
  return source === undefined
    ? `the service ${Name}`
    : `the service ${Name} in ${directory ?? labelOf(Labels, label.environment)} of ${source}`
}
