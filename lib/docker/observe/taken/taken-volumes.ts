import type { Scope } from '../../../engine.ts'
import type { TakenName } from '../../../plan/resources.ts'
import { isOurs, ownerInWords } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { listVolumes } from '../list-volumes.ts'

/** Returns which of these names belong to volumes of others; none if nobody may see volumes. */
export async function takenVolumes(
  client: Client,
  names: readonly string[],
  scope: Scope,
  signal: AbortSignal,
): Promise<readonly TakenName[]> {
  // It finds all whose names contain one of these.
  const answer = await listVolumes(client, { name: names }, signal)
  return (answer.ok ? answer.body : [])
    .filter(({ Name, Labels }) => names.includes(Name) && !isOurs(Labels, scope))
    .map(({ Name, Labels }) => ({ name: Name, holder: ownerInWords(Labels) }))
}
