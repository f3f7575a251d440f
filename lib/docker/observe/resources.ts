import type { Scope } from '../../engine.ts'
import type { LeftOverVolume, SiteResources } from '../../plan/resources.ts'
import { isOurs, ownerInWords } from '../../state/identity.ts'
import { type Labels, label, labelOf } from '../../state/labels.ts'
import { byText } from '../../text/order.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { areVolumesKept, claimRefused } from '../api/refused-volumes.ts'
import { isEphemeralName } from '../container/config/mounts-config.ts'
import { ownFilter } from '../ownership.ts'
import { listVolumes } from './list-volumes.ts'

type Named = { readonly Name: string; readonly Labels: Labels }

/** `swarm`: it is of a whole Swarm, of which the host is a node. */
type NamedNetwork = Named & { readonly Scope?: string }

/** `isOfSwarm`: its networks show that the engine is, or was, a node of a Swarm, and may manage one. */
export type SeenResources = SiteResources & { readonly isOfSwarm: boolean }

/**
 * Returns the names of the networks and volumes of a scope on a host, or on a Swarm, sorted, and the networks of others.
 * A host may be a node of the Swarm, and the environment on both.
 */
export async function resources(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
  of: 'host' | 'swarm' = 'host',
): Promise<SeenResources> {
  const [networks, volumes] = await Promise.all([
    client.call<readonly NamedNetwork[]>({ method: 'GET', path: '/networks' }, signal),
    listVolumes(client, ownFilter(scope), signal),
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
  const ownNames = new Set(own)
  const taken = networks.body
    .filter(one => !ownNames.has(one.Name) && (isHere(one) || !isOurs(one.Labels, scope)))
    .map(({ Name, Labels }) => ({ name: Name, holder: ownerInWords(Labels) }))
  const besides = { networks: own, taken, isOfSwarm: networks.body.some(isSwarms) }
  if (!volumes.ok) return { ...besides, volumes: [], volumesKept: claimRefused(client.site, volumes).message }
  const there = volumes.body
  // Most environments have none of them, and need not be asked again.
  const hasEphemeral = there.some(({ Labels }) => labelOf(Labels, label.ephemeral) !== undefined)
  const leftOver = hasEphemeral ? await unusedVolumes(client, scope, signal) : []
  const made = there
    .filter(({ Labels }) => isOurs(Labels, scope) && labelOf(Labels, label.ephemeral) === undefined)
    .map(({ Name, Driver, Options }) => ({ name: Name, driver: Driver, driverOptions: Options ?? {} }))
  return {
    ...besides,
    volumes: namesOf(there),
    ...(made.length === 0 ? {} : { made }),
    ...(leftOver.length === 0 ? {} : { leftOver }),
  }
}

/** An engine that joins a Swarm, or begins one, makes a bridge of that name, and networks of the Swarm show there. */
function isSwarms({ Name, Scope }: NamedNetwork): boolean {
  return Name === 'docker_gwbridge' || Scope === 'swarm'
}

/**
 * Returns the ephemeral volumes that no container has, sorted; none if nobody may see volumes. One that has
 * their labels, and a name that none of them has, is not counted.
 */
async function unusedVolumes(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<readonly LeftOverVolume[]> {
  const filters = { label: [...ownFilter(scope).label, label.ephemeral], dangling: ['true'] }
  const answer = await listVolumes(client, filters, signal)
  return (answer.ok ? answer.body : [])
    .filter(({ Labels }) => isOurs(Labels, scope))
    .map(({ Name, Labels }) => ({ name: Name, instance: labelOf(Labels, label.ephemeral) ?? '' }))
    .filter(({ name, instance }) => isEphemeralName(name, instance))
    .sort(byText(({ name }) => name))
}
