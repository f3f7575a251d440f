import { awaitEnd } from '../../docker/job/await-end.ts'
import { nameTaken } from '../../docker/name-taken.ts'
import type { Provenance } from '../../plan/step/placement.ts'
import type { ServiceSpecification } from '../../plan/step/swarm-step.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isJobService } from '../observe/try-of-job.ts'
import { keepFiles } from '../service/files.ts'
import { findService } from '../service/find.ts'
import { jobSpec } from '../service/service-spec.ts'
import { makeService } from '../service/tell.ts'
import { type Manager, removeService } from './apply-service.ts'
import { serviceJob } from './service-job.ts'

/**
 * Creates a job, which does not run yet, unless it exists: its name says what it does. Fails with `name-taken` if
 * something else has its name.
 */
export async function createJob(
  { client, looks }: Manager,
  step: ServiceSpecification,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await findService(client, step.service, provenance, signal)
  if (there !== undefined) {
    if (isJobService(there)) return
    throw nameTaken(client.site, `service ${step.service}`, there.Spec.Labels)
  }
  const files = await keepFiles(client, step, provenance, looks(provenance).held, signal)
  await makeService(client, jobSpec(step, provenance, files), signal)
}

/**
 * Removes a job, with what it wrote: a Swarm keeps nothing of it, and what failed was noted. A running deploy is waited
 * for (P7).
 */
export async function putJobAway(
  manager: Manager,
  name: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { client } = manager
  const there = await findService(client, name, provenance, signal)
  if (there === undefined || !isJobService(there)) return
  if (labelOf(there.Spec.Labels, label.role) === 'deploy')
    await awaitEnd(serviceJob(client, name, provenance), signal)
  await removeService(manager, name, provenance, signal)
}
