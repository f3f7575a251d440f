import type { Skipped } from '../../../engine.ts'
import { Failure } from '../../../errors.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import type { Network } from '../../../state/application/network.ts'
import { isOurs } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { type Refusal, refused } from '../../api/refusal.ts'
import { aliasesOf, attachmentOf, disconnect } from '../../container/attachment.ts'
import { inspectContainer, isContainerUp } from '../../container/inspect/inspect.ts'
import { nameTaken } from '../../name-taken.ts'
import { noneOfOwner, ownLabels } from '../../ownership.ts'
import { freeSubnets } from './subnet.ts'

type InspectedNetwork = {
  readonly Id: string
  readonly Labels: Readonly<Record<string, string>> | null
  readonly Containers: Readonly<Record<string, { readonly Name: string }>> | null
}

/** What kind of network an engine makes for us: of one host, or of all nodes of a Swarm. */
type Driver = 'bridge' | 'overlay'

/**
 * Creates a network, unless it exists or is the host's own; a gate in the first subnet of its pool that no other
 * network has. Fails with `name-taken` if one with that name is not the owner's, and with `address-pool-empty` unless
 * `ifRoom` is set.
 */
export async function createNetwork(
  client: Client,
  { network, ifRoom }: { readonly network: Network; readonly ifRoom?: true },
  provenance: Provenance,
  signal: AbortSignal,
  driver: Driver = 'bridge',
): Promise<void> {
  try {
    // Created at the same time, the engine would have two of one name.
    await client.inLane(network.name, () => makeNetwork(client, network, provenance, signal, driver))
  } catch (error) {
    if (!ifRoom || !(error instanceof Failure) || error.code !== 'address-pool-empty') throw error
  }
}

async function makeNetwork(
  client: Client,
  network: Network,
  provenance: Provenance,
  signal: AbortSignal,
  driver: Driver,
): Promise<void> {
  if (network.mode === 'host') return
  const there = await inspectNetwork(client, network.name, signal, driver)
  if (there !== undefined) return claim(client.site, network, provenance, there)
  const refusal = await create(client, network, provenance, signal, driver)
  if (refusal === undefined) return
  // Another call may have created it in between.
  const now = refusal.status === 409 ? await inspectNetwork(client, network.name, signal, driver) : undefined
  if (now === undefined) throw refused(client.site, `network ${network.name}`, refusal)
  claim(client.site, network, provenance, now)
}

async function create(
  client: Client,
  network: Network,
  provenance: Provenance,
  signal: AbortSignal,
  driver: Driver,
): Promise<Refusal | undefined> {
  const post = async (more: object) => {
    const body = { ...bodyOf(network, provenance, driver), ...more }
    const answer = await client.call({ method: 'POST', path: '/networks/create', body }, signal)
    return answer.ok ? undefined : answer
  }
  const { name, pool } = network
  if (pool === undefined) return createAnywhere(() => post({}))
  for (const Subnet of freeSubnets(pool, await subnetsInUse(client, signal))) {
    const refusal = await post({ IPAM: { Config: [{ Subnet }] } })
    if (!isTakenInBetween(refusal)) return refusal
  }
  throw new Failure('address-pool-empty', `${client.site}: network ${name}: no subnet of ${pool} is free`, {
    resource: name,
    hint: 'Remove unused networks, or give "ingress" other "subnets" in the configuration.',
  })
}

/** How often the engine may choose a subnet: some releases choose a taken one every time. */
const choices = 3

async function createAnywhere(
  post: () => Promise<Refusal | undefined>,
  left = choices,
): Promise<Refusal | undefined> {
  const refusal = await post()
  return isTakenInBetween(refusal) && left > 1 ? createAnywhere(post, left - 1) : refusal
}

/**
 * Whether another network got a subnet after it had been found free. Side by side, the engine does so too with those
 * that it chooses itself (libnetwork 915).
 */
function isTakenInBetween(refusal: Refusal | undefined): boolean {
  return refusal !== undefined && /pool overlaps|networks have overlapping/i.test(refusal.message)
}

async function subnetsInUse(client: Client, signal: AbortSignal): Promise<readonly string[]> {
  const answer = await client.call<
    readonly { readonly IPAM: { readonly Config: readonly { readonly Subnet?: string }[] | null } }[]
  >({ method: 'GET', path: '/networks' }, signal)
  if (!answer.ok) throw refused(client.site, 'list of networks', answer)
  return answer.body.flatMap(({ IPAM }) => (IPAM.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []))
}

/**
 * Removes a network of the owner. Afterwards none of the owner's has the name; a network of another owner is left alone,
 * and the step left out (G10). Fails with `network-in-use`, and names who uses it.
 */
export async function removeNetwork(
  client: Client,
  network: string,
  provenance: Provenance,
  signal: AbortSignal,
  driver: Driver = 'bridge',
): Promise<Skipped | undefined> {
  const there = await inspectNetwork(client, network, signal, driver)
  if (there === undefined || !isOurs(there.Labels, provenance)) return noneOfOwner
  const answer = await client.call({ method: 'DELETE', path: `/networks/${there.Id}` }, signal)
  if (answer.ok || answer.status === 404) return undefined
  const users = Object.values(there.Containers ?? {}).map(({ Name }) => Name)
  if (users.length === 0) throw refused(client.site, `network ${network}`, answer)
  throw new Failure(
    'network-in-use',
    `${client.site}: network ${network}: still used by ${users.sort().join(', ')}`,
    { resource: network },
  )
}

/**
 * Attaches a container to a network under aliases. If it is attached without them, or to a network that is gone, it is
 * attached again. With `ifThere`, nothing happens if the network does not exist.
 */
export async function connectNetwork(
  client: Client,
  step: Omit<StepOf<'connect-network'>, 'do'>,
  signal: AbortSignal,
): Promise<void> {
  const { container, network, aliases, ifThere } = step
  // The engine attaches a stopped container to a network that does not exist, and then cannot start it.
  if (ifThere && (await inspectNetwork(client, network, signal)) === undefined) return
  const body = { Container: container, EndpointConfig: { Aliases: aliases } }
  const connect = () =>
    client.inLane(network, () =>
      client.call({ method: 'POST', path: `/networks/${network}/connect`, body }, signal),
    )
  const answer = await connect()
  if (answer.ok) return
  const there = await inspectContainer(client, container, signal)
  const endpoint = there && attachmentOf(there, network)
  if (there === undefined || endpoint === undefined) throw refused(client.site, container, answer)
  const names = aliasesOf(there, endpoint)
  if (isContainerUp(there) && aliases.every(alias => names.includes(alias))) return
  await disconnect(client, there.Id, network, signal)
  const again = await connect()
  if (!again.ok) throw refused(client.site, container, again)
}

/** A node keeps its own part of an overlay for a while after the Swarm has removed that. */
async function inspectNetwork(
  client: Client,
  name: string,
  signal: AbortSignal,
  driver: Driver = 'bridge',
): Promise<InspectedNetwork | undefined> {
  const answer = await client.call<InspectedNetwork>(
    {
      method: 'GET',
      path: `/networks/${name}`,
      ...(driver === 'overlay' ? { query: { scope: 'swarm' } } : {}),
    },
    signal,
  )
  if (answer.ok) return answer.body
  if (answer.status === 404) return undefined
  throw refused(client.site, `network ${name}`, answer)
}

function bodyOf({ name, application, mode }: Network, provenance: Provenance, driver: Driver) {
  return {
    Name: name,
    Driver: driver,
    CheckDuplicate: true,
    ...(mode === 'internal' || mode === 'gate' ? { Internal: true } : {}),
    // Ports are published, but no packet leaves under the host's address (A47).
    ...(mode === 'published'
      ? { Options: { 'com.docker.network.bridge.enable_ip_masquerade': 'false' } }
      : {}),
    Labels: ownLabels(provenance, application),
  }
}

function claim(site: string, { name }: Network, provenance: Provenance, there: InspectedNetwork): void {
  if (!isOurs(there.Labels, provenance)) throw nameTaken(site, `network ${name}`, there.Labels)
}
