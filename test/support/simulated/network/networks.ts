import type { Events } from '../server/events.ts'
import { type Filters, hasLabels, matchesAny } from '../server/filters.ts'
import { newId } from '../server/ids.ts'
import type { Moment } from '../server/moment.ts'
import { conflict, missing, Refusal } from '../server/refusal.ts'
import {
  addressText,
  freeAddress,
  macOf,
  overlap,
  type Pool,
  piecesOf,
  readSubnet,
  type Subnet,
  subnetText,
} from './addresses.ts'

export type Network = {
  readonly id: string
  readonly name: string
  readonly created: Moment
  readonly driver: string
  readonly isInternal: boolean
  readonly labels: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, string>>
  /** Absent: the networks `host` and `none`. */
  readonly subnet?: Subnet
  /** Whether somebody chose the subnet. Only then may addresses be chosen. */
  readonly isChosen: boolean
  /** By the container's id. */
  readonly members: Map<string, Attached>
}

/** A running container on a network. */
export type Attached = {
  readonly name: string
  readonly endpointId: string
  readonly address: string
  readonly mac: string
}

export type NetworkBody = {
  readonly Name: string
  readonly Driver?: string
  readonly Internal?: boolean
  readonly Labels?: Readonly<Record<string, string>>
  readonly Options?: Readonly<Record<string, string>>
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string }[] | null }
}

export type Networks = {
  create(body: NetworkBody): Network
  find(idOrName: string): Network | undefined
  get(idOrName: string): Network
  list(filters: Filters): readonly Network[]
  remove(idOrName: string): void
  /** Attaches a container, at an address if one is chosen. */
  join(network: Network, member: { readonly id: string; readonly name: string }, address?: string): Attached
  leave(network: Network, containerId: string): void
}

/** Creates the networks of an engine: at first its own three. */
export function createNetworks(pools: readonly Pool[], now: () => Moment, events: Events): Networks {
  const networks = new Map<string, Network>()
  const add = (network: Omit<Network, 'id' | 'created' | 'members'>): Network => {
    const added = { ...network, id: newId(), created: now(), members: new Map() }
    networks.set(added.id, added)
    return added
  }
  const own = { isInternal: false, labels: {}, options: {}, isChosen: false }
  add({ ...own, name: 'bridge', driver: 'bridge', subnet: freeSubnet(pools, networks) })
  add({ ...own, name: 'host', driver: 'host' })
  add({ ...own, name: 'none', driver: 'null' })

  const find = (idOrName: string): Network | undefined => {
    const all = [...networks.values()]
    return (
      networks.get(idOrName) ??
      all.find(({ name }) => name === idOrName) ??
      (/^[0-9a-f]{3,}$/.test(idOrName) ? all.find(({ id }) => id.startsWith(idOrName)) : undefined)
    )
  }
  const get = (idOrName: string): Network => {
    const network = find(idOrName)
    if (network === undefined) throw missing(`network ${idOrName} not found`)
    return network
  }
  const tell = (action: string, { id, name, driver }: Network, more: Readonly<Record<string, string>> = {}) =>
    events.emit('network', action, id, { ...more, name, type: driver })
  return {
    find,
    get,
    list: filters =>
      [...networks.values()].filter(
        ({ id, name, driver, labels }) =>
          hasLabels(labels, filters) &&
          matchesAny(filters, 'name', wanted => name.includes(wanted)) &&
          matchesAny(filters, 'id', wanted => id.startsWith(wanted)) &&
          matchesAny(filters, 'driver', wanted => driver === wanted),
      ),
    create({ Name, Driver = 'bridge', Internal = false, Labels = {}, Options = {}, IPAM }) {
      if ([...networks.values()].some(({ name }) => name === Name))
        throw conflict(`network with name ${Name} already exists`)
      const chosen = IPAM?.Config?.[0]?.Subnet
      const subnet = chosen === undefined ? freeSubnet(pools, networks) : readSubnet(chosen)
      if (takenSubnets(networks).some(other => overlap(other, subnet)))
        throw new Refusal(403, 'Pool overlaps with other one on this address space')
      const network = add({
        ...{ name: Name, driver: Driver, isInternal: Internal, labels: Labels, options: Options, subnet },
        isChosen: chosen !== undefined,
      })
      tell('create', network)
      return network
    },
    remove(idOrName) {
      const network = get(idOrName)
      const { id, name } = network
      if (['bridge', 'host', 'none'].includes(name))
        throw new Refusal(403, `${name} is a pre-defined network and cannot be removed`)
      if (network.members.size > 0)
        throw new Refusal(403, `error while removing network: network ${name} id ${id} has active endpoints`)
      networks.delete(id)
      tell('destroy', network)
    },
    join(network, { id, name }, chosen) {
      const { subnet, members } = network
      if (members.has(id))
        throw new Refusal(403, `endpoint with name ${name} already exists in network ${network.name}`)
      const taken = new Set([...members.values()].map(({ address }) => address))
      if (chosen !== undefined && !network.isChosen)
        throw new Refusal(
          400,
          'user specified IP address is supported only when connecting to networks with user configured subnets',
        )
      if (chosen !== undefined && taken.has(chosen)) throw new Refusal(403, 'Address already in use')
      const address = subnet === undefined ? '' : (chosen ?? freeAddress(subnet, taken))
      if (address === undefined)
        throw new Refusal(403, "no available IPv4 addresses on this network's address pools")
      const attached = { name, endpointId: newId(), address, mac: address === '' ? '' : macOf(address) }
      members.set(id, attached)
      tell('connect', network, { container: id })
      return attached
    },
    leave(network, containerId) {
      if (network.members.delete(containerId)) tell('disconnect', network, { container: containerId })
    },
  }
}

function takenSubnets(networks: ReadonlyMap<string, Network>): readonly Subnet[] {
  return [...networks.values()].flatMap(({ subnet }) => subnet ?? [])
}

function freeSubnet(pools: readonly Pool[], networks: ReadonlyMap<string, Network>): Subnet {
  const taken = takenSubnets(networks)
  for (const subnet of piecesOf(pools)) if (!taken.some(other => overlap(other, subnet))) return subnet
  throw missing(
    'could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network',
  )
}

/** Returns the gateway of a network; empty for those of the host. */
export function gatewayOf({ subnet }: Network): string {
  return subnet === undefined ? '' : addressText(subnet.first + 1)
}

/** Returns a network as the engine shows it. Lists do not name the containers. */
export function shownNetwork(network: Network, isList: boolean): object {
  const { id, name, created, driver, isInternal, labels, options, subnet, isChosen, members } = network
  const Gateway = isChosen ? {} : { Gateway: gatewayOf(network) }
  return {
    ...{ Name: name, Id: id, Created: created.text, Driver: driver, EnableIPv6: false },
    Scope: driver === 'overlay' ? 'swarm' : 'local',
    IPAM: {
      ...{ Driver: 'default', Options: null },
      Config: subnet === undefined ? [] : [{ Subnet: subnetText(subnet), ...Gateway }],
    },
    ...{ Internal: isInternal, Attachable: false, Ingress: false, ConfigFrom: { Network: '' } },
    ConfigOnly: false,
    Containers: isList
      ? {}
      : Object.fromEntries([...members].map(([id, one]) => [id, shownMember(one, subnet)])),
    Options: options,
    Labels: labels,
  }
}

function shownMember({ name, endpointId, address, mac }: Attached, subnet: Subnet | undefined): object {
  const IPv4Address = subnet === undefined ? '' : `${address}/${subnet.prefix}`
  return { Name: name, EndpointID: endpointId, MacAddress: mac, IPv4Address, IPv6Address: '' }
}
