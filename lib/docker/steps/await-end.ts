import type { Client } from '../api/client.ts'
import { poll } from '../api/look-until.ts'
import { inspectContainer, isContainerUp } from '../container/inspect.ts'

/** Waits until a container no longer runs, or is gone, without a limit (P7). */
export async function awaitEnd(client: Client, container: string, signal: AbortSignal): Promise<void> {
  const over = async () => {
    const there = await inspectContainer(client, container, signal)
    return there === undefined || !isContainerUp(there) ? true : undefined
  }
  await poll(`${client.site}: ${container}`, over, Number.POSITIVE_INFINITY, signal)
}
