import { isGate } from '../../state/application/ingress/route.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { connectNetwork } from '../steps/network/networks.ts'
import { aliasesOf, disconnect } from './attachment.ts'
import type { Inspected } from './inspect/inspect.ts'

/**
 * Takes a stopped container from networks that are gone, and attaches it to the present ones with the same names. It
 * only leaves gates, because an instance is admitted there once it is ready. Returns false if a network that it needs
 * does not exist.
 */
export async function leaveGoneNetworks(
  client: Client,
  there: Inspected,
  signal: AbortSignal,
): Promise<boolean> {
  const networks = Object.entries(there.NetworkSettings.Networks ?? {})
  for (const [network, endpoint] of networks) {
    if (await isThere(client, endpoint.NetworkID || network, signal)) continue
    if (isGate(network)) await disconnect(client, there.Id, network, signal)
    else if (await isThere(client, network, signal)) {
      await disconnect(client, there.Id, network, signal)
      const aliases = aliasesOf(there, endpoint)
      await connectNetwork(client, { container: there.Id, network, aliases }, signal)
    } else return false
  }
  return true
}

async function isThere(client: Client, network: string, signal: AbortSignal): Promise<boolean> {
  const answer = await client.call({ method: 'GET', path: `/networks/${network}` }, signal)
  if (!answer.ok && answer.status !== 404) throw refused(client.site, `network ${network}`, answer)
  return answer.ok
}
