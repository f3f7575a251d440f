import type { Skipped } from '../../../engine.ts'
import type { Provenance } from '../../../plan/step/container-place.ts'
import { isOurs } from '../../../state/identity.ts'
import { type Labels, label, labelOf } from '../../../state/labels.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { ephemeralVolume, isEphemeralName } from '../../container/config/mounts-config.ts'
import { nameTaken } from '../../name-taken.ts'
import { listVolumes } from '../../observe/list-volumes.ts'
import { noneOfOwner, ownFilter } from '../../ownership.ts'

type Named = { readonly Name: string; readonly Labels: Labels }

const missing = 404
const inUse = 409

/**
 * Removes the owner's volumes that the containers of an instance shared. A volume that is still in use is left. Returns
 * whether there were any.
 */
export async function removeEphemeralVolumes(
  client: Client,
  instance: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<boolean> {
  const all = await volumesOf(client, instance, provenance, signal)
  for (const { Name } of all) await remove(client, Name, signal)
  return all.length > 0
}

/**
 * Makes sure that volumes are new when the containers of an instance are created (A48): removes what an earlier
 * instance of that name left. Fails with `name-taken` if one of these names is that of a volume of somebody else.
 */
export async function clearEphemeralVolumes(
  client: Client,
  names: readonly string[],
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  for (const name of names) {
    const there = await inspectVolume(client, name, signal)
    if (there === undefined) continue
    if (!isOurs(there.Labels, provenance)) throw nameTaken(client.site, `volume ${name}`, there.Labels)
    await remove(client, name, signal)
  }
}

/**
 * Removes one ephemeral volume of the owner. One that is still in use is left, and so is any other volume, also one that
 * somebody made with labels of ephemeral ones under a name of its own.
 */
export async function removeEphemeralVolume(
  client: Client,
  name: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const there = await inspectVolume(client, name, signal)
  if (there === undefined || !isOurs(there.Labels, provenance)) return noneOfOwner
  const instance = labelOf(there.Labels, label.ephemeral)
  if (instance !== undefined && isEphemeralName(name, instance)) await remove(client, name, signal)
  return undefined
}

async function volumesOf(
  client: Client,
  instance: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const prefix = ephemeralVolume(instance, '')
  const filters = { ...ownFilter(provenance), name: [prefix] }
  const answer = await listVolumes(client, filters, signal)
  if (!answer.ok) throw refused(client.site, 'list of volumes', answer)
  // The engine matches the text anywhere in a name.
  return answer.body.filter(({ Name, Labels }) => Name.startsWith(prefix) && isOurs(Labels, provenance))
}

async function inspectVolume(client: Client, name: string, signal: AbortSignal): Promise<Named | undefined> {
  const answer = await client.call<Named>({ method: 'GET', path: `/volumes/${name}` }, signal)
  if (answer.ok) return answer.body
  if (answer.status === missing) return undefined
  throw refused(client.site, `volume ${name}`, answer)
}

async function remove(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const removed = await client.call({ method: 'DELETE', path: `/volumes/${name}` }, signal)
  if (!removed.ok && removed.status !== missing && removed.status !== inUse)
    throw refused(client.site, `volume ${name}`, removed)
}
