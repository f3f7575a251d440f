import type { Provenance } from '../../../plan/step/container-place.ts'
import type { StepOf } from '../../../plan/step/step.ts'
import { isOurs } from '../../../state/identity.ts'
import type { Client } from '../../api/client.ts'
import { refused } from '../../api/refusal.ts'
import { inspectExisting } from '../../container/inspect/inspect.ts'
import { nameTaken } from '../../name-taken.ts'
import { forgetLook } from '../../observe/looks.ts'

type UpdateContainer = StepOf<'update-container'>

/**
 * Restores limits and restart policy of a container as it was created, while it runs. Fails with `container-missing`. A
 * container of another owner is left alone (G10).
 */
export async function updateContainer(
  client: Client,
  { container, limits }: UpdateContainer,
  provenance: Provenance,
  signal: AbortSignal,
): Promise<void> {
  const there = await inspectExisting(client, container, signal)
  if (!isOurs(there.Config.Labels, provenance))
    throw nameTaken(client.site, `container ${container}`, there.Config.Labels)
  const { restart, memoryBytes, memoryReservationBytes, memorySwapBytes } = limits
  const { nanoCpus, cpuset, cpuShares, pidsLimit } = limits
  const body = {
    // The engine accepts no memory above the present limit of memory and swap together. Its own choice for that is
    // twice the memory.
    ...(memoryBytes === undefined
      ? {}
      : { Memory: memoryBytes, MemorySwap: memorySwapBytes ?? 2 * memoryBytes }),
    ...(memoryReservationBytes === undefined ? {} : { MemoryReservation: memoryReservationBytes }),
    ...(nanoCpus === undefined ? {} : { NanoCpus: nanoCpus }),
    ...(cpuset === undefined ? {} : { CpusetCpus: cpuset }),
    ...(cpuShares === undefined ? {} : { CpuShares: cpuShares }),
    ...(pidsLimit === undefined ? {} : { PidsLimit: pidsLimit }),
    RestartPolicy: { Name: restart.name, MaximumRetryCount: restart.maxRetries ?? 0 },
  }
  const answer = await client.call({ method: 'POST', path: `/containers/${there.Id}/update`, body }, signal)
  forgetLook(there.Id, client.looks)
  if (!answer.ok) throw refused(client.site, container, answer)
}
