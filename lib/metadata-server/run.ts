import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, messageOf } from '../errors.ts'
import { keyFile } from '../metadata/place.ts'
import { later } from '../wait/timer.ts'
import { createRecords } from './records.ts'
import { createMetadataServer } from './server.ts'

export type MetadataServiceOptions = {
  /** Where the key and the records are. Nothing is written there. */
  readonly directory: string
  readonly port: number
  /** Receives what happens, in words. */
  readonly note: (words: string) => void
}

/**
 * Runs the metadata service until the signal aborts, and then lets the requests under way end. Fails with
 * `metadata-unusable` without a key, or where it cannot listen.
 */
export async function runMetadataService(
  { directory, port, note }: MetadataServiceOptions,
  signal: AbortSignal,
): Promise<void> {
  const path = join(directory, keyFile)
  const key = await readFile(path).catch((error: unknown) => {
    throw new Failure('metadata-unusable', `${path}: ${messageOf(error)}`, { cause: error })
  })
  const server = createMetadataServer({ find: createRecords(directory), key, note })
  try {
    server.listen(port)
    await once(server, 'listening')
  } catch (error) {
    throw new Failure('metadata-unusable', `port ${port}: ${messageOf(error)}`, { cause: error })
  }
  note(`listens on port ${port}`)
  if (!signal.aborted) await once(signal, 'abort')
  const closed = once(server, 'close')
  server.close()
  const late = later(lastMs, () => server.closeAllConnections())
  await closed
  late.cancel()
}

/** How long requests under way may take once the service is to end. */
const lastMs = 2_000
