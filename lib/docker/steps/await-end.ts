import type { Client } from '../client.ts'
import { inspectContainer, isUp } from '../inspect.ts'
import { poll } from '../poll.ts'

/** Waits until a container does not run any more, or is gone, however long that takes (P7). */
export async function awaitEnd(client: Client, container: string, signal: AbortSignal): Promise<void> {
  const over = async () => {
    const there = await inspectContainer(client, container, signal)
    return there === undefined || !isUp(there) ? true : undefined
  }
  await poll(`${client.site}: ${container}`, over, Number.POSITIVE_INFINITY, signal)
}
