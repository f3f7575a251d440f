import type { Provenance } from '../../plan/step/placement.ts'
import { isOurs } from '../../state/identity.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { ephemeralVolume } from '../container/mounts-config.ts'
import { ownFilter } from '../ownership.ts'

type Named = { readonly Name: string; readonly Labels: Readonly<Record<string, string>> | null }

const missing = 404
const inUse = 409

/** Removes the owner's volumes that the containers of an instance shared. A volume that is still in use is left. */
export async function removeEphemeralVolumes(
  client: Client,
  instance: string,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const prefix = ephemeralVolume(instance, '')
  const filters = { ...ownFilter(provenance), name: [prefix] }
  const answer = await client.call<{ readonly Volumes: readonly Named[] | null }>(
    { method: 'GET', path: '/volumes', query: { filters }, limitMs: patientMs },
    signal,
  )
  if (!answer.ok) throw refused(client.site, 'list of volumes', answer)
  // The engine matches the text anywhere in a name.
  const names = (answer.body.Volumes ?? [])
    .filter(({ Name, Labels }) => Name.startsWith(prefix) && isOurs(Labels, provenance))
    .map(({ Name }) => Name)
  for (const name of names) {
    const removed = await client.call({ method: 'DELETE', path: `/volumes/${name}` }, signal)
    if (!removed.ok && removed.status !== missing && removed.status !== inUse)
      throw refused(client.site, `volume ${name}`, removed)
  }
}
