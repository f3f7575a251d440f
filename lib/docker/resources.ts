import type { Scope } from '../engine.ts'
import type { Client } from './client.ts'
import { ownFilter } from './ownership.ts'
import { refused } from './refusal.ts'

type Named = { readonly Name: string }

/** Names of the networks and volumes of a scope, sorted. */
export async function resources(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<{ readonly networks: readonly string[]; readonly volumes: readonly string[] }> {
  const query = { filters: ownFilter(scope) }
  const [networks, volumes] = await Promise.all([
    client.call<readonly Named[]>({ method: 'GET', path: '/networks', query }, signal),
    client.call<{ readonly Volumes: readonly Named[] | null }>(
      { method: 'GET', path: '/volumes', query },
      signal,
    ),
  ])
  if (!networks.ok) throw refused(client.site, 'list of networks', networks)
  if (!volumes.ok) throw refused(client.site, 'list of volumes', volumes)
  return { networks: namesOf(networks.body), volumes: namesOf(volumes.body.Volumes ?? []) }
}

function namesOf(things: readonly Named[]): readonly string[] {
  return things.map(({ Name }) => Name).sort()
}
