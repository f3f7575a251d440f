import type { Scope } from '../engine.ts'
import { isOurs } from '../state/identity.ts'
import { type Client, patientMs } from './client.ts'
import { ownFilter } from './ownership.ts'
import { refused } from './refusal.ts'

type Named = { readonly Name: string; readonly Labels: Readonly<Record<string, string>> | null }

/** Returns the names of the networks and volumes of a scope, sorted. */
export async function resources(
  client: Client,
  scope: Scope,
  signal: AbortSignal,
): Promise<{ readonly networks: readonly string[]; readonly volumes: readonly string[] }> {
  const query = { filters: ownFilter(scope) }
  const [networks, volumes] = await Promise.all([
    client.call<readonly Named[]>({ method: 'GET', path: '/networks', query }, signal),
    client.call<{ readonly Volumes: readonly Named[] | null }>(
      { method: 'GET', path: '/volumes', query, limitMs: patientMs },
      signal,
    ),
  ])
  if (!networks.ok) throw refused(client.site, 'list of networks', networks)
  if (!volumes.ok) throw refused(client.site, 'list of volumes', volumes)
  const namesOf = (things: readonly Named[]) =>
    things
      .filter(({ Labels }) => isOurs(Labels, scope))
      .map(({ Name }) => Name)
      .sort()
  return { networks: namesOf(networks.body), volumes: namesOf(volumes.body.Volumes ?? []) }
}
