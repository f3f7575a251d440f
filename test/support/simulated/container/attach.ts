import type { EndpointBody } from '../config.ts'
import type { Network } from '../network/networks.ts'
import { missing, Refusal } from '../server/refusal.ts'
import { type Container, type Daemon, type Endpoint, getContainer, isUp } from './container.ts'

/** Attaches a container to a network: at once if it runs, or else as soon as it does. */
export function connect(
  daemon: Daemon,
  idOrName: string,
  containerName: string,
  body: EndpointBody | null,
): void {
  const container = getContainer(daemon, containerName)
  const network = daemon.networks.find(idOrName)
  const aliases = [...(body?.Aliases ?? []), container.id.slice(0, 12)]
  const endpoint: Endpoint = {
    aliases: network === undefined ? (body?.Aliases ?? null) : aliases,
    chosen: body?.IPAMConfig?.IPv4Address || undefined,
    networkId: '',
    network: undefined,
  }
  if (isUp(container)) {
    if (network === undefined) throw missing(`network ${idOrName} not found`)
    attach(daemon, container, network, endpoint)
  } else if (container.state.status === 'restarting' && network !== undefined)
    attach(daemon, container, network, endpoint)
  // The engine asks for no such network as long as the container does not run.
  else container.endpoints.set(network?.name ?? idOrName, endpoint)
}

/** Takes a container from a network. */
export function disconnect(daemon: Daemon, idOrName: string, containerName: string): void {
  const network = daemon.networks.find(idOrName)
  const container = getContainer(daemon, containerName)
  const runs = isUp(container)
  if (network === undefined && runs) throw missing(`network ${idOrName} not found`)
  const name = network?.name ?? idOrName
  const endpoint = container.endpoints.get(name)
  if (endpoint === undefined)
    throw new Refusal(
      500,
      `container ${container.id} is not connected to ${runs ? '' : 'the '}network ${name}`,
    )
  if (endpoint.network !== undefined) daemon.networks.leave(endpoint.network, container.id)
  container.endpoints.delete(name)
}

/** Attaches a container that starts to all of its networks. Throws, and leaves those that it had, if one refuses. */
export function attachAll(daemon: Daemon, container: Container): void {
  const { NetworkMode } = container.hostConfig
  const isOfUser = (name: string) => !['bridge', 'host', 'none'].includes(name)
  try {
    for (const [name, endpoint] of container.endpoints) {
      // The engine looks for the very network that it was attached to before.
      const network = daemon.networks.get((isOfUser(name) && endpoint.networkId) || name)
      const own = container.id.slice(0, 12)
      const aliases = isOfUser(name) ? [...new Set([...(endpoint.aliases ?? []), own])] : endpoint.aliases
      attach(daemon, container, network, { ...endpoint, aliases })
    }
    if (container.endpoints.size === 0 && !NetworkMode.startsWith('container:'))
      attach(daemon, container, daemon.networks.get(networkOf(NetworkMode)), unchosen)
  } catch (error) {
    detachAll(daemon, container)
    throw error
  }
}

const unchosen: Endpoint = { aliases: null, chosen: undefined, networkId: '', network: undefined }

/** Returns the name of the network that a mode means. */
export function networkOf(mode: string): string {
  return mode === 'default' ? 'bridge' : mode
}

/** Takes a container that has ended from its networks, to which it belongs nevertheless. */
export function detachAll(daemon: Daemon, container: Container): void {
  for (const [name, endpoint] of container.endpoints) {
    if (endpoint.network === undefined) continue
    daemon.networks.leave(endpoint.network, container.id)
    container.endpoints.set(name, { ...endpoint, network: undefined })
  }
}

function attach(daemon: Daemon, container: Container, network: Network, endpoint: Endpoint): void {
  daemon.networks.join(network, container, endpoint.chosen)
  container.endpoints.set(network.name, { ...endpoint, networkId: network.id, network })
}
