import type { Skipped } from '../../../engine.ts'
import { Failure } from '../../../errors.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import { label, labelOf } from '../../../state/labels.ts'
import { nameBefore } from '../../../state/running/job-container.ts'
import { poll } from '../../../wait/poll.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { type Inspected, inspectContainer, isOwnNamed } from '../../container/inspect/inspect.ts'
import { forgetPod } from '../../metadata/register.ts'
import { noneOfOwner } from '../../ownership.ts'
import { removeEphemeralVolume, removeEphemeralVolumes } from '../volume/remove-ephemeral-volumes.ts'

/**
 * Removes a container of the owner with its anonymous volumes; with a sandbox also the volumes that its instance
 * shared. Afterwards none of the owner's has the name as its own; a container of another owner (G10), or of another
 * instance (D9), is left alone, and the step left out.
 */
export async function removeContainer(
  client: Client,
  container: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const there = await inspectContainer(client, container, signal)
  const instance = nameBefore(container)
  // It was removed before, perhaps in the middle of this step.
  if (there === undefined)
    return (await removeEphemeralVolumes(client, instance, provenance, signal)) ? undefined : noneOfOwner
  if (!isOwnNamed(there, container, provenance)) return noneOfOwner
  await forgetPod(client, there, provenance, signal)
  const answer = await client.call(
    { method: 'DELETE', path: `/containers/${there.Id}`, query: { v: 1, force: 1 }, limitMs: patientMs },
    signal,
  )
  if (!answer.ok && answer.status !== 404) {
    if (answer.status !== 409) throw refused(client.site, container, answer)
    await awaitGone(client, there.Id, signal)
  }
  if (labelOf(there.Config.Labels, label.role) === 'sandbox')
    await removeEphemeralVolumes(client, instance, provenance, signal)
  else await removeVolumesLeftOver(client, there, provenance, signal)
  return undefined
}

/** Removes the ephemeral volumes of a container whose sandbox somebody else removed: no sandbox takes them along. */
async function removeVolumesLeftOver(
  client: Client,
  { HostConfig: { NetworkMode = '' }, Mounts }: Inspected,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const names = (Mounts ?? []).flatMap(({ Type, Name }) => (Type === 'volume' && Name ? [Name] : []))
  if (names.length === 0 || !NetworkMode.startsWith(ofSandbox)) return
  if ((await inspectContainer(client, NetworkMode.slice(ofSandbox.length), signal)) !== undefined) return
  for (const name of names) await removeEphemeralVolume(client, name, provenance, signal)
}

const ofSandbox = 'container:'

/** Waits while a removal is under way, for two minutes at most. */
export async function awaitGone(client: Client, container: string, signal: AbortSignal): Promise<void> {
  const what = `${client.site}: ${container}`
  const gone = async () =>
    (await inspectContainer(client, container, signal)) === undefined ? true : undefined
  if (await poll(what, gone, 120_000, signal)) return
  throw new Failure('engine-refused', `${what}: its removal does not end`, { resource: container })
}
