import { once } from 'node:events'
import { Writable } from 'node:stream'

/** Resolves once a stream has written what it was given, or nobody reads it any more, or the signal aborts. */
export async function written(stream: unknown, signal: AbortSignal): Promise<void> {
  if (stream instanceof Writable && stream.writableNeedDrain)
    await once(stream, 'drain', { signal }).catch(() => undefined)
}
