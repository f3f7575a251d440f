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
  updateService,
} from './steps/apply-service.ts'
import { awaitService } from './steps/await-service.ts'

type Call = Manager & { readonly provenance: Provenance; readonly signal: AbortSignal }

/** One entry per step: a step without an entry does not compile. */
const executors: {
  readonly [N in StepOnSwarm['do']]: (call: Call, step: Extract<StepOnSwarm, { do: N }>) => Promise<void>
} = {
  'create-network': ({ client, provenance, signal }, step) =>
    createNetwork(client, step, provenance, signal, 'overlay'),
  'remove-network': ({ client, provenance, signal }, { network }) =>
    removeNetwork(client, network, provenance, signal, 'overlay'),
  'create-service': ({ client, known, provenance, signal }, step) =>
    createService({ client, known }, step, provenance, signal),
  'update-service': ({ client, known, provenance, signal }, step) =>
    updateService({ client, known }, step, provenance, signal),
  'restore-service': ({ client, known, provenance, signal }, step) =>
    restoreService({ client, known }, step, provenance, signal),
  'await-service': ({ client, provenance, signal }, step) => awaitService(client, step, provenance, signal),
  'remove-service': ({ client, known, provenance, signal }, { service }) =>
    removeService({ client, known }, service, provenance, signal),
  'forget-files': ({ client, provenance, signal }) => forgetFiles(client, provenance, signal),
}

/** Carries out one step. Repeated, it changes nothing more. */
export async function executeOnSwarm<N extends StepOnSwarm['do']>(
  manager: Manager,
  step: Extract<StepOnSwarm, { do: N }>,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const executor = executors[step.do]
  await executor({ ...manager, provenance, signal }, step)
  return undefined
}
