import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Header } from 'tar-stream'
import { type Client, patientMs } from '../../api/client.ts'
import type { EngineAnswer } from '../../api/connection/dial.ts'
import { connectionFailure } from '../../api/connection-failure.ts'

/** Asks for what is at a path in a container, which need not run. */
export function openArchive(
  client: Client,
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<EngineAnswer<Readable>> {
  return client.call<Readable>(
    {
      method: 'GET',
      path: `/containers/${container}/archive`,
      query: { path },
      stream: { wholeMs: patientMs },
      limitMs: patientMs,
    },
    signal,
  )
}

/** What an archive has. `content`: of a file that was chosen. */
export type ArchiveEntry = { readonly header: Header; readonly content?: Buffer }

/** Whether the content of a file is read. It is asked once for each file. */
export type Choice = (file: Header) => boolean

/** Chooses files of at most so many bytes, as long as they have no more in all. */
export function filesUpTo(mostBytes: number, mostInAll: number = Number.POSITIVE_INFINITY): Choice {
  let inAll = 0
  return ({ size = 0 }) => {
    const isChosen = size <= mostBytes && inAll + size <= mostInAll
    if (isChosen) inAll += size
    return isChosen
  }
}

/**
 * Reads the first entry of an archive, and nothing behind it: the archive comes from the author of the image, or from
 * whoever is in the container. Undefined if it is empty. Fails as the connection does.
 */
export async function firstEntry(
  site: string,
  archive: Readable,
  isChosen: Choice,
  signal: AbortSignal,
): Promise<ArchiveEntry | undefined> {
  for await (const entry of entriesOf(site, archive, isChosen, signal)) return entry
  return undefined
}

/** Reads the entries of an archive one after the other, as long as they are asked for. Fails as the connection does. */
export async function* entriesOf(
  site: string,
  archive: Readable,
  isChosen: Choice,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const { extract } = await import('tar-stream')
  const entries = extract()
  try {
    addAbortSignal(signal, archive)
      .on('error', error => entries.destroy(error))
      .pipe(entries)
    for await (const entry of entries) {
      const { header } = entry
      yield header.type === 'file' && isChosen(header) ? { header, content: await buffer(entry) } : { header }
      entry.resume()
    }
  } catch (error) {
    throw connectionFailure(site, error, signal)
  } finally {
    archive.destroy()
  }
}

/** Unpacks an archive into a directory of a container, which need not run. */
export function unpackInto(
  client: Client,
  container: string,
  place: string,
  archive: Buffer,
  signal: AbortSignal,
): Promise<EngineAnswer<unknown>> {
  return client.call(
    {
      method: 'PUT',
      path: `/containers/${container}/archive`,
      query: { path: place },
      archive,
      limitMs: patientMs,
    },
    signal,
  )
}
