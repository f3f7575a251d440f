import { type Holder, holderOf } from '../../state/identity.ts'
import { label } from '../../state/labels.ts'
import type { Client } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { areVolumesKept } from '../api/refused-volumes.ts'
import { listContainers } from './list-containers.ts'

type Labelled = { readonly Labels: Readonly<Record<string, string>> | null }

/**
 * Returns every environment whose labels a container, a network or a volume has, each once. Volumes outlive everything
 * else, and so do the names in their labels. If a proxy keeps them from us, they are left out: nothing can be written
 * there, and a volume of somebody else is never used.
 */
export async function holders(client: Client, signal: AbortSignal): Promise<readonly Holder[]> {
  const filters = { label: [label.environment] }
  const [containers, networks, volumes] = await Promise.all([
    listContainers(client, { all: 1, filters }, signal),
    client.call<readonly Labelled[]>({ method: 'GET', path: '/networks', query: { filters } }, signal),
    client.call<{ readonly Volumes: readonly Labelled[] | null }>(
      { method: 'GET', path: '/volumes', query: { filters } },
      signal,
    ),
  ])
  if (!networks.ok) throw refused(client.site, 'list of networks', networks)
  if (!volumes.ok && !areVolumesKept(volumes)) throw refused(client.site, 'list of volumes', volumes)
  const ofVolumes = volumes.ok ? (volumes.body.Volumes ?? []) : []
  const things = [...containers, ...networks.body, ...ofVolumes]
  const found = things.flatMap(({ Labels }) => holderOf(Labels) ?? [])
  return [...new Map(found.map(holder => [JSON.stringify(holder), holder])).values()]
}
