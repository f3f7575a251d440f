import type { Client } from './client.ts'
import { type Endpoint, type Inspected, inspectContainer } from './inspect.ts'
import { type Refusal, refused } from './refusal.ts'

const missing = 404

/** How a container is attached to a network; undefined: not at all. */
export function endpointOf(there: Inspected, network: string): Endpoint | undefined {
  return there.NetworkSettings.Networks?.[network]
}

/** The names that others reach a container by on a network, without the one that older engines add: its short id. */
export function aliasesOf({ Id }: Inspected, { Aliases }: Endpoint): readonly string[] {
  return (Aliases ?? []).filter(alias => alias !== Id.slice(0, 12))
}

/** Takes a container from a network. One that is not attached, or is gone, is fine. */
export async function disconnect(
  client: Client,
  container: string,
  network: string,
  signal: AbortSignal,
): Promise<void> {
  const body = { Container: container }
  const answer = await client.call({ method: 'POST', path: `/networks/${network}/disconnect`, body }, signal)
  if (answer.ok || answer.status === missing) return
  const now = await inspectContainer(client, container, signal)
  if (now !== undefined && endpointOf(now, network) !== undefined)
    throw refused(client.site, container, answer)
}

/** Takes a container from the networks on which it was given an address; says whether there were any. */
export async function giveAddressesBack(
  client: Client,
  there: Inspected,
  signal: AbortSignal,
): Promise<boolean> {
  const given = Object.entries(there.NetworkSettings.Networks ?? {}).filter(([, one]) => isGiven(one))
  for (const [network] of given) await disconnect(client, there.Id, network, signal)
  return given.length > 0
}

/** Whether it was attached anew at its address and without a name: its draining was begun, and not undone. */
export function isDraining(there: Inspected): boolean {
  const endpoints = Object.values(there.NetworkSettings.Networks ?? {})
  return endpoints.some(one => isGiven(one) && aliasesOf(there, one).length === 0)
}

function isGiven({ IPAMConfig }: Endpoint): boolean {
  return Boolean(IPAMConfig?.IPv4Address)
}

/**
 * Attaches a container anew, under other names and at the same address: its open connections outlive the moment in
 * between, so it is not broken off there. Undefined, or why the engine took it away and would not attach it again.
 */
export async function reconnect(
  client: Client,
  { Id }: Inspected,
  { network, endpoint, aliases }: { network: string; endpoint: Endpoint; aliases: readonly string[] },
): Promise<Refusal | undefined> {
  const { IPAddress, MacAddress } = endpoint
  const EndpointConfig = {
    Aliases: aliases,
    ...(IPAddress === '' ? {} : { IPAMConfig: { IPv4Address: IPAddress }, MacAddress }),
  }
  const body = { Container: Id, EndpointConfig }
  const uncut = new AbortController().signal
  // Nobody else gets the address meanwhile.
  const answer = await client.inTurn(network, async () => {
    await disconnect(client, Id, network, uncut)
    return client.call({ method: 'POST', path: `/networks/${network}/connect`, body }, uncut)
  })
  return answer.ok ? undefined : answer
}
