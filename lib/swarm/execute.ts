import type { Note } from '../docker/container/post-mortem/post-mortem.ts'
import { awaitEnd } from '../docker/job/await-end.ts'
import { runToEnd } from '../docker/job/run-to-end.ts'
import { createNetwork, removeNetwork } from '../docker/steps/network/networks.ts'
import type { Skipped } from '../engine.ts'
import type { Provenance } from '../plan/step/container-place.ts'
import type { StepOnSwarm } from '../plan/step/step.ts'
import type { TasksNow } from '../state/pass/tasks-now.ts'
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
  readonly seen: (now: TasksNow) => void
}

/** One entry per step: a step without an entry does not compile. */
const executors: {
  readonly [N in StepOnSwarm['do']]: (
    call: Call,
    step: Extract<StepOnSwarm, { do: N }>,
  ) => Promise<void> | Promise<Skipped | undefined>
} = {
  'create-network': ({ client, provenance, signal }, step) =>
    createNetwork(client, step, provenance, signal, 'overlay'),
  'remove-network': ({ client, provenance, signal }, { network }) =>
    removeNetwork(client, network, provenance, signal, 'overlay'),
  'find-image': ({ client, signal }, step) => findImage(client, step, signal),
  'create-job': ({ provenance, signal, ...manager }, step) => createJob(manager, step, provenance, signal),
  'run-to-end': ({ client, provenance, signal, note }, step) =>
    runToEnd(serviceJob(client, step.container, provenance), step, signal, note),
  'await-end': ({ client, provenance, signal }, { container }) =>
    awaitEnd(serviceJob(client, container, provenance), signal),
  'abort-hook': ({ provenance, signal, ...manager }, { container }) =>
    removeService(manager, container, provenance, signal),
  'put-away': ({ provenance, signal, ...manager }, { container }) =>
    putJobAway(manager, container, provenance, signal),
  'create-service': ({ provenance, signal, ...manager }, step) =>
    createService(manager, step, provenance, signal),
  'update-service': ({ provenance, signal, ...manager }, step) =>
    updateService(manager, step, provenance, signal),
  'stop-service': ({ provenance, signal, ...manager }, step) =>
    stopService(manager, step, provenance, signal),
  'restore-service': ({ provenance, signal, ...manager }, step) =>
    restoreService(manager, step, provenance, signal),
  'await-service': ({ provenance, signal, note, seen, ...manager }, step) =>
    awaitService(manager, step, provenance, signal, note, seen),
  'remove-service': ({ provenance, signal, ...manager }, { service }) =>
    removeService(manager, service, provenance, signal),
  'forget-files': ({ client, looks, provenance, signal }) => looks(provenance).forgetFiles(client, signal),
}

/**
 * Carries out one step. Repeated, it changes nothing more. `note` receives what happens on the way, `seen` how the tasks
 * are that it waits for.
 */
export async function executeOnSwarm<N extends StepOnSwarm['do']>(
  manager: Manager,
  step: Extract<StepOnSwarm, { do: N }>,
  provenance: Provenance,
  signal: AbortSignal,
  note: Note = () => {},
  seen: (now: TasksNow) => void = () => {},
): Promise<Skipped | undefined> {
  const executor = executors[step.do]
  const ended = await executor({ ...manager, provenance, signal, note, seen }, step)
  return typeof ended === 'object' ? ended : undefined
}
