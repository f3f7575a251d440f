import type { Skipped } from '../../../engine.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { label, labelOf } from '../../../state/labels.ts'
import { isKeptContainer } from '../../../state/running/job-container.ts'
import type { Client } from '../../api/client.ts'
import {
  hasEnded,
  type Inspected,
  inspectContainer,
  inspectOwn,
  isContainerUp,
} from '../../container/inspect/inspect.ts'
import { awaitEnd } from '../../job/await-end.ts'
import { containerJob } from '../../job/container-job.ts'
import { jobGraceMs } from '../../job/job.ts'
import { noneOfOwner } from '../../ownership.ts'
import { keepNewest } from '../container/kept.ts'
import { removeContainer } from '../container/remove-container.ts'
import { stopWithin } from '../container/stop-container.ts'

type PutAway = StepOf<'put-away'>

/**
 * Removes the container of a job that succeeded or never began. A failed one is renamed, and the newest `keep` of its
 * service stay (H9). A running one is stopped first, except a deploy, which is waited for (P7). What was put away
 * before stays unchanged. A container of another owner is left alone (G10).
 */
export async function putAway(
  client: Client,
  { container, keep }: PutAway,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  if (isKeptContainer({ engineName: container })) return undefined
  const there = await endOf(client, container, provenance, signal)
  if (there === undefined) return noneOfOwner
  if (!hasEnded(there) || there.State.ExitCode === 0)
    return removeContainer(client, container, provenance, signal)
  await keepNewest(client, there, { container, keep }, provenance, signal)
  return undefined
}

/** Returns the container once it no longer runs; undefined if none of the owner's exists. */
async function endOf(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Inspected | undefined> {
  const there = await inspectOwn(client, container, provenance, signal)
  if (there === undefined) return undefined
  if (!isContainerUp(there)) return there
  if (labelOf(there.Config.Labels, label.role) === 'deploy')
    await awaitEnd(containerJob(client, there.Id, provenance), signal)
  else await stopWithin(client, there, jobGraceMs, signal)
  return inspectContainer(client, there.Id, signal)
}
