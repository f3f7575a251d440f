import type { Provenance } from '../../plan/step/placement.ts'
import type { Volume } from '../../state/application/volume.ts'
import { isOurs } from '../../state/identity.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { ownLabels } from '../ownership.ts'
import { nameTaken } from './name-taken.ts'

/**
 * Creates a named volume unless it exists. Fails with `name-taken` if one with that name is not the owner's, and with
 * `driver-missing`.
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
  if (!isOurs(answer.body.Labels, provenance)) throw nameTaken(client.site, `volume ${name}`)
}
