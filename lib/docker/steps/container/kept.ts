import type { Provenance } from '../../../plan/step/container-place.ts'
import { type Identity, isOurs } from '../../../state/identity.ts'
import { type Labels, label, labelOf } from '../../../state/labels.ts'
import { isJob, isKeptContainer, keptName } from '../../../state/running/job-container.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import type { Inspected } from '../../container/inspect/inspect.ts'
import { listContainers } from '../../observe/list-containers.ts'
import { engineNameOf, type ListedContainer } from '../../observe/live-container.ts'
import { ownFilter } from '../../ownership.ts'
import { removeContainer } from './remove-container.ts'

const missing = 404

/**
 * Gives a container a name by which it is kept, and removes all but the newest `keep` of its kind. It is no error if it is
 * gone.
 */
export async function keepNewest(
  client: Client,
  there: Inspected,
  { container, keep }: { readonly container: string; readonly keep: number },
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  await rename(client, there, keptName(container, there.Id), signal)
  const kept = await keptLike(client, there, provenance, signal)
  for (const name of kept.slice(keep)) await removeContainer(client, name, provenance, signal)
}

/** Renames a container. It is no error if it is gone. */
async function rename(client: Client, { Id }: Inspected, name: string, signal: AbortSignal): Promise<void> {
  const answer = await client.call(
    { method: 'POST', path: `/containers/${Id}/rename`, query: { name } },
    signal,
  )
  if (!answer.ok && answer.status !== missing) throw refused(client.site, name, answer)
}

/**
 * Returns the names of the kept containers of the same kind, the newest first. All jobs of a service are one kind; of
 * its instances, the containers with one name are.
 */
async function keptLike(
  client: Client,
  { Config }: Inspected,
  owner: Identity,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ofJob = isOfJob(Config.Labels)
  const keys = [label.application, label.service, ...(ofJob ? [] : [label.container])]
  const same = keys.map(key => `${key}=${labelOf(Config.Labels, key) ?? ''}`)
  const filters = { label: [...ownFilter(owner).label, ...same] }
  const all = await listContainers<ListedContainer & { readonly Created: number }>(
    client,
    { all: 1, filters },
    signal,
  )
  // Those created within the same second stay in the engine's order, which also has the newest first.
  return all
    .filter(({ Labels }) => isOurs(Labels, owner) && isOfJob(Labels) === ofJob)
    .sort((a, b) => b.Created - a.Created)
    .map(({ Names }) => engineNameOf(Names))
    .filter(engineName => isKeptContainer({ engineName }))
}

function isOfJob(labels: Labels): boolean {
  return isJob({ role: labelOf(labels, label.role) })
}
