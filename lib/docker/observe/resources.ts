import type { Scope } from '../../engine.ts'
import type { SiteResources } from '../../plan/resources.ts'
import { isOurs, ownerInWords } from '../../state/identity.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { areVolumesKept, claimRefused } from '../api/refused-volumes.ts'
import { ownFilter } from '../ownership.ts'
import { takenPorts } from './taken-ports.ts'

type Named = { readonly Name: string; readonly Labels: Readonly<Record<string, string>> | null }

/** `swarm`: it is of a whole Swarm, of which the host is a node. */
type NamedNetwork = Named & { readonly Scope?: string }

/**
 * Returns the names of the networks and volumes of a scope on a host, or on a Swarm, sorted, the networks of others, and
 * the ports of the host that others publish. A host may be a node of the Swarm, and the environment on both.
 */
export async function resources(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
  of: 'host' | 'swarm' = 'host',
): Promise<SiteResources> {
  const query = { filters: ownFilter(scope) }
  const [networks, volumes, ports] = await Promise.all([
    client.call<readonly NamedNetwork[]>({ method: 'GET', path: '/networks' }, signal),
    client.call<{ readonly Volumes: readonly Named[] | null }>(
      { method: 'GET', path: '/volumes', query, limitMs: patientMs },
      signal,
    ),
    takenPorts(client, scope, signal),
  ])
  if (!networks.ok) throw refused(client.site, 'list of networks', networks)
  if (!volumes.ok && !areVolumesKept(volumes)) throw refused(client.site, 'list of volumes', volumes)
  const namesOf = (things: readonly Named[]) =>
    things
      .filter(({ Labels }) => isOurs(Labels, scope))
      .map(({ Name }) => Name)
      .sort()
  const isHere = ({ Scope }: NamedNetwork) => (Scope === 'swarm') === (of === 'swarm')
  const own = namesOf(networks.body.filter(isHere))
  const taken = networks.body
    .filter(one => !own.includes(one.Name) && (isHere(one) || !isOurs(one.Labels, scope)))
    .map(({ Name, Labels }) => ({ name: Name, holder: ownerInWords(Labels) }))
  const besides = { networks: own, ports, taken }
  return volumes.ok
    ? { ...besides, volumes: namesOf(volumes.body.Volumes ?? []) }
    : { ...besides, volumes: [], volumesKept: claimRefused(client.site, volumes).message }
}
