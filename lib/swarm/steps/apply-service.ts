import type { Client } from '../../docker/api/client.ts'
import { noneOfOwner } from '../../docker/ownership.ts'
import type { Skipped } from '../../engine.ts'
import { Failure } from '../../errors.ts'
import { optional } from '../../object.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import type { ServiceSpecification } from '../../plan/step/swarm-step.ts'
import type { SwarmService } from '../../state/application/swarm/swarm-service.ts'
import type { Identity } from '../../state/identity.ts'
import { label, labelOf } from '../../state/labels.ts'
import { poll } from '../../wait/poll.ts'
import { askManager } from '../api/asked.ts'
import { modeOf, replicasOf, type ServiceSpec, type ToldService } from '../api/service.ts'
import type { JointLooks } from '../observe/joint-looks.ts'
import { serviceMarkOf } from '../observe/mark.ts'
import type { KnownSwarm } from '../observe/observe.ts'
import { graceMsOfTask } from '../observe/task/standing.ts'
import { keepFiles } from '../service/files.ts'
import { findOwn, findService } from '../service/find.ts'
import { withLoginMark } from '../service/login.ts'
import { serviceSpec } from '../service/service-spec.ts'
import { changeService, makeService } from '../service/tell.ts'

/** The manager, what is known of it, and what the steps of one owner ask it for together. */
export type Manager = {
  readonly client: Client
  readonly known: KnownSwarm
  readonly looks: (owner: Identity) => JointLooks
}

/**
 * Creates a service, unless it exists with this fingerprint. One of the owner's that exists otherwise is updated. The
 * nodes get the login of its registry with it. Fails with `name-taken`, and with `service-changed` if somebody changes it
 * at the same time.
 */
export async function createService(
  manager: Manager,
  step: ServiceSpecification,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { client } = manager
  const there = await findService(client, step.service, provenance, signal)
  if (there !== undefined) {
    const { fingerprint, runs } = step.placement
    if (isAs(there.Spec, { fingerprint, replicas: runs.replicas })) return
    return updateService(manager, step, provenance, signal)
  }
  const body = await withLoginMark(manager, await specOf(manager, step, provenance, signal))
  await makeService(client, body, signal)
  await remember(manager, step.service, provenance, signal)
}

/** Gives a service another specification. Fails as `createService` does. */
export async function updateService(
  manager: Manager,
  step: ServiceSpecification,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { client } = manager
  const there = await findService(client, step.service, provenance, signal)
  if (there === undefined) return createService(manager, step, provenance, signal)
  const body = asOftenBegun(await specOf(manager, step, provenance, signal), there.Spec)
  await putSpec(manager, there, body, provenance, signal)
}

/**
 * Returns a specification with the count of how often somebody had all tasks started anew: with another count, all would
 * be replaced also where only their number is another.
 */
function asOftenBegun(spec: ServiceSpec, { TaskTemplate: { ForceUpdate } }: ServiceSpec): ServiceSpec {
  return { ...spec, TaskTemplate: { ...spec.TaskTemplate, ...optional('ForceUpdate', ForceUpdate) } }
}

/**
 * Gives a service the specification that it had before, if that has this fingerprint, with this number of tasks: without
 * a fingerprint any, and a service that had none before is removed then. One that has it already is left as it is. The
 * step is left out if there is none, or nothing to give back. Fails with `name-taken` if it is another's.
 */
export async function restoreService(
  manager: Manager,
  { service, ...as }: { readonly service: string } & Partial<Kind>,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const { client } = manager
  const { fingerprint, replicas } = as
  const there = await findService(client, service, provenance, signal)
  if (there === undefined) return noneOfOwner
  if (isAs(there.Spec, as)) return undefined
  const { Spec, PreviousSpec } = there
  if (fingerprint === undefined && PreviousSpec === undefined)
    return removeService(manager, service, provenance, signal)
  const known = [PreviousSpec, Spec].filter(spec => spec !== undefined)
  const before = fingerprint === undefined ? PreviousSpec : known.find(spec => isAs(spec, { fingerprint }))
  if (before === undefined) return { skipped: 'left out: the Swarm no longer has what it ran before' }
  const body = replicas === undefined ? before : { ...before, Mode: modeOf(replicas) }
  await putSpec(manager, there, body, provenance, signal)
  return undefined
}

/** How often others may change a service while it is stopped. */
const mostLooks = 5

/**
 * Has a service with this fingerprint run no task, and waits until all have ended. One that has another one by now is
 * left as it is. One of several changes that stop it is as good as another. The step is left out if there is none.
 */
export async function stopService(
  manager: Manager,
  { service, fingerprint }: { readonly service: string; readonly fingerprint: string },
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  for (let looked = 1; ; looked += 1) {
    const there = await findService(manager.client, service, provenance, signal)
    if (there === undefined) return noneOfOwner
    if (!isAs(there.Spec, { fingerprint })) return undefined
    try {
      if (replicasOf(there.Spec) === 'global')
        return await removeService(manager, service, provenance, signal)
      if (replicasOf(there.Spec) !== 0)
        await putSpec(manager, there, { ...there.Spec, Mode: modeOf(0) }, provenance, signal)
      await awaitEndOf(manager, there, provenance, signal)
      return undefined
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'service-changed' || looked >= mostLooks) throw error
    }
  }
}

/** How long its tasks may take to end after their grace period, in ms. */
const endsWithinMs = 60_000

/**
 * Removes a service of the owner, and waits until its tasks have ended: until then they use its networks and files.
 * Afterwards none of the owner's has the name. One that is another's is left as it is, and the step left out.
 */
export async function removeService(
  manager: Manager,
  service: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const { client, known } = manager
  const there = await findOwn(client, service, provenance, signal)
  if (there === undefined) return noneOfOwner
  known.told.delete(there.ID)
  const path = `/services/${there.ID}`
  await askManager(client, service, { method: 'DELETE', path }, signal)
  await awaitEndOf(manager, there, provenance, signal)
  return undefined
}

/**
 * Waits until no task of a service runs any more, for as long as they have to end by themselves and a while. What becomes
 * of those on a node that is lost nobody knows until it is back, which may be never.
 */
async function awaitEndOf(
  { client, looks }: Manager,
  { ID, Spec }: ToldService,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const graceMs = graceMsOfTask(Spec.TaskTemplate)
  const haveEnded = async () => ((await looks(provenance).mayRun(ID, signal)) ? undefined : true)
  await poll(`${client.site}: ${Spec.Name}`, haveEnded, graceMs + endsWithinMs, signal)
}

/** Gives a service a specification as it is, and remembers what the manager makes of it. Fails as `createService` does. */
export async function putSpec(
  manager: Manager,
  there: ToldService,
  body: ServiceSpec,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  await changeService(manager.client, there, await withLoginMark(manager, body), signal)
  await remember(manager, there.Spec.Name, provenance, signal)
}

/** What the manager tells now is what it made of our words: whatever differs from that later is somebody's change. */
async function remember(
  { client, known }: Pick<Manager, 'client' | 'known'>,
  service: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const told = await findService(client, service, provenance, signal)
  if (told !== undefined) known.told.set(told.ID, serviceMarkOf(told.Spec, await known.key()))
}

async function specOf(
  { client, looks }: Manager,
  step: ServiceSpecification,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<ServiceSpec> {
  // As late as possible: another rollout removes what no service names.
  return serviceSpec(
    step,
    provenance,
    await keepFiles(client, step, provenance, looks(provenance).held, signal),
  )
}

type Kind = { readonly fingerprint: string; readonly replicas: SwarmService['replicas'] }

/** Whether a service has this fingerprint, and this number of tasks if one is given. */
function isAs(spec: ServiceSpec, { fingerprint, replicas }: Partial<Kind>): boolean {
  const hasNumber = replicas === undefined || replicasOf(spec) === replicas
  return hasNumber && labelOf(spec.Labels, label.fingerprint) === fingerprint
}
