import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { isOurs } from '../../../state/identity.ts'
import { strayName } from '../../../state/running/stray.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { inspectContainer, inspectOwn } from '../../container/inspect/inspect.ts'
import { nameTaken } from '../../name-taken.ts'

type RenameContainer = StepOf<'rename-container'>

/**
 * Renames a container of the owner, whatever its present name is. It is no error if it is gone. If another container of
 * the owner has that name, that one gets a name that means nothing. Fails with `name-taken` if the name belongs to
 * somebody else.
 */
export async function renameContainer(
  client: Client,
  { id, container }: RenameContainer,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  // Two containers may have each other's names.
  await client.inLane('names of containers', async () => {
    const there = await inspectOwn(client, id, provenance, signal)
    if (there === undefined) return
    const holder = await inspectContainer(client, container, signal)
    if (holder?.Id === there.Id) return
    if (holder !== undefined) {
      if (!isOurs(holder.Config.Labels, provenance))
        throw nameTaken(client.site, `container ${container}`, holder.Config.Labels)
      await rename(client, holder.Id, strayName(container, holder.Id), signal)
    }
    await rename(client, there.Id, container, signal)
  })
}

async function rename(client: Client, id: string, name: string, signal: AbortSignal): Promise<void> {
  const answer = await client.call(
    { method: 'POST', path: `/containers/${id}/rename`, query: { name } },
    signal,
  )
  if (!answer.ok) throw refused(client.site, name, answer)
}
