import type { Scope } from '../../../engine.ts'
import type { TakenVolume } from '../../../plan/resources.ts'
import { isOurs, ownerInWords } from '../../../state/identity.ts'
import type { Labels } from '../../../state/labels.ts'
import { type Client, patientMs } from '../../api/client.ts'

type Named = { readonly Name: string; readonly Labels: Labels }

/** Returns which of these names belong to volumes of others; none if nobody may see volumes. */
export async function takenVolumes(
  client: Client,
  names: readonly string[],
  scope: Scope,
  signal: AbortSignal,
): Promise<readonly TakenVolume[]> {
  // It finds all whose names contain one of these.
  const filters = { name: [...names] }
  const answer = await client.call<{ readonly Volumes: readonly Named[] | null }>(
    { method: 'GET', path: '/volumes', query: { filters }, limitMs: patientMs },
    signal,
  )
  const found = answer.ok ? (answer.body.Volumes ?? []) : []
  return found
    .filter(({ Name, Labels }) => names.includes(Name) && !isOurs(Labels, scope))
    .map(({ Name, Labels }) => ({ name: Name, holder: ownerInWords(Labels) }))
}
