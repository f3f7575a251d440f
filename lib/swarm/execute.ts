import type { Note } from '../docker/container/post-mortem.ts'
import { awaitEnd } from '../docker/job/await-end.ts'
import { runToEnd } from '../docker/job/run-to-end.ts'
import { createNetwork, removeNetwork } from '../docker/steps/networks.ts'
import type { Skipped } from '../engine.ts'
import type { Provenance } from '../plan/step/placement.ts'
import type { StepOnSwarm } from '../plan/step/step.ts'
import { forgetFiles } from './service/files.ts'
import {
  createService,
  type Manager,
  removeService,
  restoreService,
  stopService,
  updateService,
} from './steps/apply-service.ts'
import { awaitService } from './steps/await-service.ts'
import { findImage } from './steps/find-image.ts'
import { createJob, putJobAway } from './steps/jobs.ts'
import { serviceJob } from './steps/service-job.ts'

type Call = Manager & {
  readonly provenance: Provenance
  readonly signal: AbortSignal
  readonly note: Note
}

/** One entry per step: a step without an entry does not compile. */
const executors: {
  readonly [N in StepOnSwarm['do']]: (call: Call, step: Extract<StepOnSwarm, { do: N }>) => Promise<void>
} = {
  'create-network': ({ client, provenance, signal }, step) =>
    createNetwork(client, step, provenance, signal, 'overlay'),
  'remove-network': ({ client, provenance, signal }, { network }) =>
    removeNetwork(client, network, provenance, signal, 'overlay'),
  'find-image': ({ client, signal }, step) => findImage(client, step, signal),
  'create-job': ({ client, provenance, signal }, step) => createJob(client, step, provenance, signal),
  'run-to-end': ({ client, provenance, signal, note }, step) =>
    runToEnd(serviceJob(client, step.container, provenance), step, signal, note),
  'await-end': ({ client, provenance, signal }, { container }) =>
    awaitEnd(serviceJob(client, container, provenance), signal),
  'abort-hook': ({ client, known, provenance, signal }, { container }) =>
    removeService({ client, known }, container, provenance, signal),
  'put-away': ({ client, known, provenance, signal }, { container }) =>
    putJobAway({ client, known }, container, provenance, signal),
  'create-service': ({ client, known, provenance, signal }, step) =>
    createService({ client, known }, step, provenance, signal),
  'update-service': ({ client, known, provenance, signal }, step) =>
    updateService({ client, known }, step, provenance, signal),
  'stop-service': ({ client, known, provenance, signal }, step) =>
    stopService({ client, known }, step, provenance, signal),
  'restore-service': ({ client, known, provenance, signal }, step) =>
    restoreService({ client, known }, step, provenance, signal),
  'await-service': ({ client, provenance, signal, note }, step) =>
    awaitService(client, step, provenance, signal, note),
  'remove-service': ({ client, known, provenance, signal }, { service }) =>
    removeService({ client, known }, service, provenance, signal),
  'forget-files': ({ client, provenance, signal }) => forgetFiles(client, provenance, signal),
}

/** Carries out one step. Repeated, it changes nothing more. `note` receives what happens on the way. */
export async function executeOnSwarm<N extends StepOnSwarm['do']>(
  manager: Manager,
  step: Extract<StepOnSwarm, { do: N }>,
  provenance: Provenance,
  signal: AbortSignal,
  note: Note = () => {},
): Promise<Skipped | undefined> {
  const executor = executors[step.do]
  await executor({ ...manager, provenance, signal, note }, step)
  return undefined
}
