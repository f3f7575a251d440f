import type { Provenance, Step } from '../../plan/step.ts'
import { isKept, keptName } from '../../state/job-container.ts'
import { label } from '../../state/labels.ts'
import type { Client } from '../client.ts'
import { hasEnded, type Inspected, inspectContainer, inspectOwn, isUp } from '../inspect.ts'
import { engineNameOf, type ListedContainer } from '../live-container.ts'
import { ownFilter } from '../ownership.ts'
import { refused } from '../refusal.ts'
import { jobGraceMs } from './abort-hook.ts'
import { awaitEnd } from './await-end.ts'
import { removeContainer } from './remove-container.ts'
import { stopWithin } from './stop-container.ts'

type PutAway = Extract<Step, { do: 'put-away' }>

const missing = 404

/**
 * Removes the container of a job that ended well or never began; one that failed is renamed, and of those the newest
 * `keep` of its service stay (H9). One that still runs is stopped first, but for a deploy, which is waited for (P7).
 * What is not ours is left alone (G10).
 */
export async function putAway(
  client: Client,
  { container, keep }: PutAway,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await endOf(client, container, provenance, signal)
  if (there === undefined) return
  if (!hasEnded(there) || there.State.ExitCode === 0)
    return removeContainer(client, container, provenance, signal)
  await rename(client, there, keptName(container, there.Id), signal)
  const kept = await keptOf(client, there, provenance, signal)
  for (const name of kept.slice(keep)) await removeContainer(client, name, provenance, signal)
}

/** The container once it does not run any more; undefined when none of ours is there. */
async function endOf(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined) return undefined
  if (!isUp(there)) return there
  if (there.Config.Labels?.[label.role] === 'deploy') await awaitEnd(client, there.Id, signal)
  else await stopWithin(client, there, jobGraceMs, signal)
  return inspectContainer(client, there.Id, signal)
}

async function rename(client: Client, { Id }: Inspected, name: string, signal: AbortSignal): Promise<void> {
  const answer = await client.call(
    { method: 'POST', path: `/containers/${Id}/rename`, query: { name } },
    signal,
  )
  if (!answer.ok && answer.status !== missing) throw refused(client.site, name, answer)
}

/** Names of the failed jobs of the same service that were put away, the newest first. */
async function keptOf(
  client: Client,
  { Config }: Inspected,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const same = [label.application, label.service].map(key => `${key}=${Config.Labels?.[key] ?? ''}`)
  const filters = { label: [...ownFilter(provenance).label, ...same] }
  const answer = await client.call<readonly (ListedContainer & { readonly Created: number })[]>(
    { method: 'GET', path: '/containers/json', query: { all: 1, filters } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of containers', answer)
  // Those made within the same second stay as the engine lists them: the newest first, too.
  return [...answer.body]
    .sort((a, b) => b.Created - a.Created)
    .map(({ Names }) => engineNameOf(Names))
    .filter(engineName => isKept({ engineName }))
}
