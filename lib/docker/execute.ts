import type { Skipped } from '../engine.ts'
import { Failure } from '../errors.ts'
import type { Provenance } from '../plan/step/container-place.ts'
import type { StepOnHost } from '../plan/step/step.ts'
import type { Client } from './api/client.ts'
import { goingDown, isGoingDown } from './api/going-down.ts'
import { disconnect } from './container/attachment.ts'
import type { Note } from './container/post-mortem/post-mortem.ts'
import { awaitEnd } from './job/await-end.ts'
import { containerJob } from './job/container-job.ts'
import { runToEnd } from './job/run-to-end.ts'
import { awaitHealthy } from './steps/container/await-healthy.ts'
import { createContainer } from './steps/container/create-container.ts'
import { keepFailed } from './steps/container/keep-failed.ts'
import { registerAgain } from './steps/container/register-pod.ts'
import { removeContainer } from './steps/container/remove-container.ts'
import { renameContainer } from './steps/container/rename-container.ts'
import { restartContainer } from './steps/container/restart-container.ts'
import { startContainer, unpauseContainer } from './steps/container/start-container.ts'
import { stopContainer } from './steps/container/stop-container.ts'
import { updateContainer } from './steps/container/update-container.ts'
import { checkImage } from './steps/image/check-image.ts'
import { pullImage } from './steps/image/pull-image.ts'
import { removeImage } from './steps/image/remove-image.ts'
import { abortHook } from './steps/job/abort-hook.ts'
import { putAway } from './steps/job/put-away.ts'
import { connectNetwork, createNetwork, removeNetwork } from './steps/network/networks.ts'
import { admit } from './steps/traffic/admit.ts'
import { drainInstance } from './steps/traffic/drain.ts'
import { loadRoutes } from './steps/traffic/load-routes.ts'
import { checkHostPath } from './steps/volume/check-host-path.ts'
import { createVolume } from './steps/volume/create-volume.ts'
import { removeEphemeralVolume } from './steps/volume/remove-ephemeral-volumes.ts'

type Call = {
  readonly client: Client
  readonly provenance: Provenance
  readonly signal: AbortSignal
  readonly note: Note
}

type Executors = {
  readonly [N in StepOnHost['do']]: (
    call: Call,
    step: Extract<StepOnHost, { do: N }>,
  ) => Promise<void> | Promise<Skipped | undefined>
}

/** One entry per step: a step without an entry does not compile. */
const executors: Executors = {
  'pull-image': ({ client, signal }, step) => pullImage(client, step, signal),
  'check-host-path': ({ client, provenance, signal }, step) =>
    checkHostPath(client, step, provenance, signal),
  'check-image': ({ client, provenance, signal }, step) => checkImage(client, step, provenance, signal),
  'create-network': ({ client, provenance, signal }, step) => createNetwork(client, step, provenance, signal),
  'create-volume': ({ client, provenance, signal }, { volume }) =>
    createVolume(client, volume, provenance, signal),
  'remove-volume': ({ client, provenance, signal }, { volume }) =>
    removeEphemeralVolume(client, volume, provenance, signal),
  'create-container': ({ client, provenance, signal, note }, step) =>
    createContainer(client, step, provenance, signal, note),
  'register-pod': ({ client, provenance, signal }, step) => registerAgain(client, step, provenance, signal),
  'start-container': ({ client, provenance, signal, note }, step) =>
    startContainer(client, step, provenance, signal, note),
  'unpause-container': ({ client, signal }, { container }) => unpauseContainer(client, container, signal),
  'await-healthy': ({ client, signal, note }, step) => awaitHealthy(client, step, signal, note),
  'update-container': ({ client, provenance, signal }, step) =>
    updateContainer(client, step, provenance, signal),
  'rename-container': ({ client, provenance, signal }, step) =>
    renameContainer(client, step, provenance, signal),
  'stop-container': ({ client, provenance, signal }, { container }) =>
    stopContainer(client, container, provenance, signal),
  'remove-container': ({ client, provenance, signal }, { container }) =>
    removeContainer(client, container, provenance, signal),
  'connect-network': ({ client, signal }, step) => connectNetwork(client, step, signal),
  'remove-network': ({ client, provenance, signal }, { network }) =>
    removeNetwork(client, network, provenance, signal),
  admit: ({ client, signal }, step) => admit(client, step, signal),
  drain: ({ client, provenance, signal, note }, step) =>
    drainInstance(client, step, provenance, signal, note),
  'disconnect-network': ({ client, signal }, { container, network }) =>
    disconnect(client, container, network, signal),
  'load-routes': ({ client, provenance, signal }, step) => loadRoutes(client, step, provenance, signal),
  'remove-image': ({ client, signal }, step) => removeImage(client, step, signal),
  'restart-container': ({ client, provenance, signal }, { container }) =>
    restartContainer(client, container, provenance, signal),
  'run-to-end': ({ client, provenance, signal, note }, step) =>
    runToEnd(containerJob(client, step.container, provenance), step, signal, note),
  'await-end': ({ client, provenance, signal }, { container }) =>
    awaitEnd(containerJob(client, container, provenance), signal),
  'abort-hook': ({ client, provenance, signal }, { container }) =>
    abortHook(client, container, provenance, signal),
  'keep-failed': ({ client, provenance, signal }, step) => keepFailed(client, step, provenance, signal),
  'put-away': ({ client, provenance, signal }, step) => putAway(client, step, provenance, signal),
}

/**
 * Carries out one step. Repeated, it changes nothing more. Returns a reason if it did nothing on purpose, or failed where
 * that is ignored. `note` receives what happens on the way.
 */
export async function execute<N extends StepOnHost['do']>(
  client: Client,
  step: Extract<StepOnHost, { do: N }>,
  provenance: Provenance,
  signal: AbortSignal,
  note: Note = () => {},
): Promise<Skipped | undefined> {
  const executor: Executors[N] = executors[step.do]
  try {
    const ended = await executor({ client, provenance, signal, note }, step)
    return typeof ended === 'object' ? ended : undefined
  } catch (error) {
    if (!isRefusal(error) || !(await isGoingDown(client, signal))) throw error
    throw goingDown(client, error.resource ?? step.do)
  }
}

/** An engine that is shutting down refuses calls for various reasons. */
function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && (error.code === 'engine-refused' || error.code === 'start-refused')
}
