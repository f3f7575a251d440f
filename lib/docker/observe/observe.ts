import { steadyMs, timeOfDayMs } from '../../clock.ts'
import type { Scope } from '../../engine.ts'
import { metadataName } from '../../state/application/metadata.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isOfInstance } from '../../state/running/job-container.ts'
import type { LiveContainer, LiveState } from '../../state/running/live.ts'
import { byText } from '../../text/order.ts'
import { poll } from '../../wait/poll.ts'
import type { Client } from '../api/client.ts'
import { ownFilter } from '../ownership.ts'
import { withImages } from './image-identity.ts'
import { listContainers } from './list-containers.ts'
import { type Listing, lookCloser } from './look-closer.ts'
import { ownContainers } from './own-containers.ts'
import { withRealNetworks } from './real-networks.ts'

/** How long a container may be in the middle of its removal before it counts as stuck there. */
const removalMs = 1_000

/**
 * Returns what the engine runs of a scope, with one list call, however many containers there are. A closer look adds
 * what the list does not show: at everything that is new or changed, and else once an hour. While a container is just
 * being removed, lists again, because such a container neither exists nor is gone. If the ingress is the operator's, it
 * takes a second list call and a question to the ingress. If there are pods, the metadata service is asked for those
 * of which it is not known yet whether it knows them.
 */
export async function observe(client: Client, scope: Scope, signal: AbortSignal): Promise<LiveState> {
  for (const remembered of [client.versions, client.imageIds, client.imageFacts]) remembered.age()
  let seen: readonly Listing[] = []
  const settled = async () => {
    seen = await list(client, scope, signal)
    return seen.some(({ live: { state } }) => state === 'removing' || state === 'dead') ? undefined : seen
  }
  await poll(`${client.site}: list of containers`, settled, removalMs, signal)
  const known = await withImages(client, await withRealNetworks(client, seen, signal), signal)
  const now = { steadyMs: steadyMs(), ofDayMs: timeOfDayMs() }
  const closer = await lookCloser(client, known, now, signal)
  const own = await withUnregistered(client, scope, known, closer, signal)
  if (!client.hasExternalIngress) return { site: client.site, containers: own }
  const { observeExternal } = await import('../ingress/external-ingress.ts')
  const external = await observeExternal(client, scope, signal)
  return { site: client.site, containers: external === undefined ? own : [...own, external] }
}

/** Says of pods that the metadata service does not know them. Without pods, nothing is asked. */
async function withUnregistered(
  client: Client,
  scope: Scope,
  seen: readonly Listing[],
  own: readonly LiveContainer[],
  signal: AbortSignal,
): Promise<readonly LiveContainer[]> {
  const pods = seen.flatMap(({ live, listed: { Labels } }) => {
    const uuid = live.role === 'sandbox' && isOfInstance(live) ? labelOf(Labels, label.pod) : undefined
    return uuid === undefined ? [] : [{ id: live.id, uuid }]
  })
  if (pods.length === 0) return own
  const { unregisteredPods } = await import('../metadata/unregistered-pods.ts')
  const service = own.find(one => one.application === metadataName && isOfInstance(one))?.id
  const unregistered = await unregisteredPods(client, { pods, service, owner: scope }, signal)
  return own.map(one => (unregistered.has(one.id) ? { ...one, isUnregistered: true } : one))
}

async function list(client: Client, scope: Scope, signal: AbortSignal): Promise<readonly Listing[]> {
  const all = await listContainers(client, { all: 1, filters: ownFilter(scope) }, signal)
  return ownContainers(all, scope).toSorted(byText(({ live }) => live.engineName))
}
