import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step.ts'
import type { Network } from '../../state/network.ts'
import type { Client } from '../client.ts'
import { inspectContainer } from '../inspect.ts'
import { isOurs, ownLabels } from '../ownership.ts'
import { refused } from '../refusal.ts'
import { nameTaken } from './name-taken.ts'

type InspectedNetwork = {
  readonly Id: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly Containers: Readonly<Record<string, { readonly Name: string }>> | null
}

/**
 * Creates a bridge network, unless it is there, or is the host's own. Fails with `name-taken` when one by that name is
 * not ours.
 */
export async function createNetwork(
  client: Client,
  network: Network,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  if (network.mode === 'host') return
  const there = await inspectNetwork(client, network.name, signal)
  if (there === undefined) {
    const answer = await client.call(
      { method: 'POST', path: '/networks/create', body: bodyOf(network, provenance) },
      signal,
    )
    if (answer.ok) return
    // Another call may have made it in between.
    const now = answer.status === 409 ? await inspectNetwork(client, network.name, signal) : undefined
    if (now === undefined) throw refused(client.site, `network ${network.name}`, answer)
    return claim(client.site, network, provenance, now)
  }
  claim(client.site, network, provenance, there)
}

/**
 * Removes a network of ours. Afterwards none of ours bears the name; somebody else's is left alone (G10). Fails with
 * `network-in-use` and names who uses it.
 */
export async function removeNetwork(
  client: Client,
  network: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectNetwork(client, network, signal)
  if (there === undefined || !isOurs(there.Labels, provenance)) return
  const answer = await client.call({ method: 'DELETE', path: `/networks/${there.Id}` }, signal)
  if (answer.ok || answer.status === 404) return
  const users = Object.values(there.Containers ?? {}).map(({ Name }) => Name)
  if (users.length === 0) throw refused(client.site, `network ${network}`, answer)
  throw new Failure(
    'network-in-use',
    `${client.site}: network ${network}: still used by ${users.sort().join(', ')}`,
    { resource: network },
  )
}

/** Attaches a container to a network under aliases; one that is attached is left as it is. */
export async function connectNetwork(
  client: Client,
  step: { readonly container: string; readonly network: string; readonly aliases: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { container, network, aliases } = step
  const body = { Container: container, EndpointConfig: { Aliases: aliases } }
  const answer = await client.call({ method: 'POST', path: `/networks/${network}/connect`, body }, signal)
  if (answer.ok) return
  const there = await inspectContainer(client, container, signal)
  if (there?.NetworkSettings.Networks?.[network] === undefined) throw refused(client.site, container, answer)
}

async function inspectNetwork(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<InspectedNetwork | undefined> {
  const answer = await client.call<InspectedNetwork>({ method: 'GET', path: `/networks/${name}` }, signal)
  if (answer.ok) return answer.body
  if (answer.status === 404) return undefined
  throw refused(client.site, `network ${name}`, answer)
}

function bodyOf({ name, application, mode }: Network, provenance: Provenance) {
  return {
    Name: name,
    Driver: 'bridge',
    CheckDuplicate: true,
    ...(mode === 'internal' ? { Internal: true } : {}),
    // Ports are published, yet nothing leaves under the host's address (A47).
    ...(mode === 'published'
      ? { Options: { 'com.docker.network.bridge.enable_ip_masquerade': 'false' } }
      : {}),
    Labels: ownLabels(provenance, application),
  }
}

function claim(site: string, { name }: Network, provenance: Provenance, there: InspectedNetwork): void {
  if (!isOurs(there.Labels, provenance)) throw nameTaken(site, `network ${name}`)
}
