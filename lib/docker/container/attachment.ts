import type { Client } from '../api/client.ts'
import { type Refusal, refused } from '../api/refusal.ts'
import { type Attachment, type Inspected, inspectContainer } from './inspect/inspect.ts'

const missing = 404

/** Returns how a container is attached to a network; undefined if it is not. */
export function attachmentOf(there: Inspected, network: string): Attachment | undefined {
  return there.NetworkSettings.Networks?.[network]
}

/** Returns the names by which others reach a container on a network, without its short id, which older engines add. */
export function aliasesOf({ Id }: Inspected, { Aliases }: Attachment): readonly string[] {
  return (Aliases ?? []).filter(alias => alias !== Id.slice(0, 12))
}

/** Takes a container from a network. It is no error if it is not attached, or gone. */
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
  if (now !== undefined && attachmentOf(now, network) !== undefined)
    throw refused(client.site, container, answer)
}

/** Takes a container from the networks on which it was given an address. Returns whether there were any. */
export async function giveAddressesBack(
  client: Client,
  there: Inspected,
  signal: AbortSignal,
): Promise<boolean> {
  const given = Object.entries(there.NetworkSettings.Networks ?? {}).filter(([, one]) => isGiven(one))
  for (const [network] of given) await disconnect(client, there.Id, network, signal)
  return given.length > 0
}

/** Whether it was attached again at its address and without a name: its draining was begun, and not undone. */
export function isDraining(there: Inspected): boolean {
  const endpoints = Object.values(there.NetworkSettings.Networks ?? {})
  return endpoints.some(one => isGiven(one) && aliasesOf(there, one).length === 0)
}

function isGiven({ IPAMConfig }: Attachment): boolean {
  return Boolean(IPAMConfig?.IPv4Address)
}

/**
 * Attaches a container again, under other names and at the same address. Open connections survive the moment in
 * between, so the call is never interrupted there. Undefined if it succeeded; otherwise why the engine did not attach
 * it again.
 */
export async function reconnect(
  client: Client,
  { Id }: Inspected,
  { network, endpoint, aliases }: { network: string; endpoint: Attachment; aliases: readonly string[] },
): Promise<Refusal | undefined> {
  const { IPAddress, MacAddress } = endpoint
  const EndpointConfig = {
    Aliases: aliases,
    ...(IPAddress === '' ? {} : { IPAMConfig: { IPv4Address: IPAddress }, MacAddress }),
  }
  const body = { Container: Id, EndpointConfig }
  const uncut = new AbortController().signal
  // In turn, so that nobody else gets the address in between.
  const answer = await client.inLane(network, async () => {
    await disconnect(client, Id, network, uncut)
    return client.call({ method: 'POST', path: `/networks/${network}/connect`, body }, uncut)
  })
  return answer.ok ? undefined : answer
}
