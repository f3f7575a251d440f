import { awaitEnd } from '../../docker/job/await-end.ts'
import { nameTaken } from '../../docker/name-taken.ts'
import { noneOfOwner } from '../../docker/ownership.ts'
import type { Skipped } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { ServiceSpecification } from '../../plan/step/swarm-step.ts'
import { label, labelOf } from '../../state/labels.ts'
import { isJobService } from '../observe/task/try-of-job.ts'
import { keepFiles } from '../service/files.ts'
import { findOwn, findService } from '../service/find.ts'
import { jobSpec } from '../service/service-spec.ts'
import { makeService } from '../service/tell.ts'
import { type Manager, removeService } from './apply-service.ts'
import { hasRemovedJobEnded } from './removed-job.ts'
import { serviceJob } from './service-job.ts'

/**
 * Creates a job, which does not run yet, unless it exists: its name says what it does. One that somebody removed has to
 * end first, so that it never runs twice at the same time. Fails with `name-taken` if something else has its name, and
 * with `service-changed` if what was removed does not end.
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
  if (!(await hasRemovedJobEnded(client, step.service, signal))) {
    const message = `${client.site}: ${step.service}: somebody removed it, and its task has not ended yet`
    throw new Failure('service-changed', message, { resource: step.service })
  }
  const files = await keepFiles(client, step, provenance, looks(provenance).held, signal)
  await makeService(client, jobSpec(step, provenance, files), signal)
}

/**
 * Removes a job, with what it wrote: a Swarm keeps nothing of it, and what failed was noted. A running deploy is waited
 * for (P7), and so is what somebody removed: what comes next must not run beside it. The step is left out if none of the
 * owner's has the name.
 */
export async function putJobAway(
  manager: Manager,
  name: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const { client } = manager
  const there = await findOwn(client, name, provenance, signal)
  if (there === undefined) {
    await hasRemovedJobEnded(client, name, signal)
    return noneOfOwner
  }
  if (!isJobService(there)) return undefined
  if (labelOf(there.Spec.Labels, label.role) === 'deploy')
    await awaitEnd(serviceJob(client, name, provenance), signal)
  return removeService(manager, name, provenance, signal)
}
