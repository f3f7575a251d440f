import type { Provenance } from '../../../plan/step/container-place.ts'
import type { Volume } from '../../../state/application/volume.ts'
import { type Identity, isOurs } from '../../../state/identity.ts'
import { type Client, patientMs } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { nameTaken } from '../../name-taken.ts'
import { listContainers } from '../../observe/list-containers.ts'
import { ownFilter, ownLabels } from '../../ownership.ts'

/**
 * Creates a named volume unless it exists. Fails with `name-taken` if one with that name is not the owner's, and with
 * `driver-missing`. One without labels is the owner's if a container of the owner has it: the engine made it then.
 */
export async function createVolume(
  client: Client,
  volume: Volume,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const { name, driver, driverOptions, application } = volume
  const body = {
    Name: name,
    ...(driver === undefined ? {} : { Driver: driver }),
    ...(driverOptions === undefined ? {} : { DriverOpts: driverOptions }),
    Labels: ownLabels(provenance, application),
  }
  // The engine answers with the existing volume, whoever created it.
  const answer = await client.call<{ readonly Labels: Readonly<Record<string, string>> | null }>(
    { method: 'POST', path: '/volumes/create', body, limitMs: patientMs },
    signal,
  )
  if (!answer.ok) throw refused(client.site, `volume ${name}`, answer)
  const { Labels } = answer.body
  if (isOurs(Labels, provenance)) return
  const isBare = Object.keys(Labels ?? {}).length === 0
  if (!isBare || !(await isMountedByOurs(client, name, provenance, signal)))
    throw nameTaken(client.site, `volume ${name}`, Labels)
}

async function isMountedByOurs(
  client: Client,
  volume: string,
  owner: Identity,
  signal: AbortSignal,
): Promise<boolean> {
  const filters = { ...ownFilter(owner), volume: [volume] }
  const all = await listContainers(client, { all: 1, filters }, signal)
  return all.some(({ Labels }) => isOurs(Labels, owner))
}
