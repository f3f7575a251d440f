import type { IncomingMessage } from 'node:http'
import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { account, directory } from '../../metadata/place.ts'
import type { Provenance } from '../../plan/step/container-place.ts'
import { metadataName } from '../../state/application/metadata.ts'
import { type Client, patientMs } from '../api/client.ts'
import { refused } from '../api/refusal.ts'
import { blanked, imageFacts } from '../container/config/inherited.ts'
import { filesUpTo, firstEntry, openArchive, unpackInto } from '../container/files/archive.ts'
import { ownLabels } from '../ownership.ts'

/** A volume that only the metadata service mounts, and an image that the engine has. */
export type MetadataStore = { readonly volume: string; readonly image: string }

export type OpenStore = {
  /** Whether there is a file, below the directory. */
  has(file: string): Promise<boolean>
  /** Returns the text of a file; undefined if there is none, or none of a size that Tallyman writes. */
  read(file: string): Promise<string | undefined>
  /**
   * Writes files that only the metadata service can read, and nobody can change from inside its container: one after
   * the other, in one call.
   */
  write(files: readonly StoredFile[]): Promise<void>
}

/** A file below the directory. */
export type StoredFile = { readonly file: string; readonly content: string | Buffer }

/**
 * Reads and writes in the volume of the metadata service by way of a container that is never started, so that the
 * service itself writes nothing, and need not be there.
 */
export async function inStore(
  client: Client,
  { volume, image }: MetadataStore,
  provenance: Provenance,
  signal: AbortSignal,
  work: (store: OpenStore) => Promise<void>,
): Promise<void> {
  const name = `${volume}.writer`
  await client.inLane(name, async () => {
    const remove = () =>
      client.call({ method: 'DELETE', path: `/containers/${name}`, query: { force: 1, v: 1 } }, signal)
    // A crash may have left it behind.
    await remove()
    const inherited = await imageFacts(client, image, signal)
    if (!inherited.ok) throw refused(client.site, name, inherited)
    const made = await client.call(
      {
        method: 'POST',
        path: '/containers/create',
        query: { name },
        body: {
          Image: image,
          // It never runs. Some engines create no container without a program.
          Cmd: ['true'],
          Labels: {
            ...blanked(inherited.body.reserved),
            ...ownLabels(provenance),
          },
          HostConfig: {
            NetworkMode: 'none',
            Mounts: [
              {
                Type: 'volume',
                Source: volume,
                Target: directory,
                // The engine makes a volume that is gone.
                VolumeOptions: { NoCopy: true, Labels: ownLabels(provenance, metadataName) },
              },
            ],
          },
        },
        limitMs: patientMs,
      },
      signal,
    )
    if (!made.ok) throw refused(client.site, name, made)
    try {
      await work(openStore(client, name, signal))
    } finally {
      await remove()
    }
  })
}

/** The size of the largest file that Tallyman writes and reads again. */
export const mostRead: number = 1024 * 1024

function openStore(client: Client, name: string, signal: AbortSignal): OpenStore {
  return {
    async has(file) {
      const answer = await client.call<IncomingMessage>(
        {
          method: 'HEAD',
          path: `/containers/${name}/archive`,
          query: { path: posix.join(directory, file) },
          stream: { wholeMs: patientMs },
        },
        signal,
      )
      if (answer.ok) answer.body.resume()
      else if (answer.status !== 404) throw refused(client.site, name, answer)
      return answer.ok
    },
    async read(file) {
      const answer = await openArchive(client, name, posix.join(directory, file), signal)
      if (!answer.ok && answer.status === 404) return undefined
      if (!answer.ok) throw refused(client.site, name, answer)
      const entry = await firstEntry(client.site, answer.body, filesUpTo(mostRead), signal)
      return entry?.content?.toString()
    },
    async write(files) {
      const { pack } = await import('tar-stream')
      const archive = pack()
      for (const above of new Set(files.map(({ file }) => posix.dirname(file))))
        if (above !== '.')
          archive.entry({ name: above, type: 'directory', mode: 0o750, uid: 0, gid: account.gid })
      for (const { file, content } of files)
        archive.entry({ name: file, mode: 0o440, uid: 0, gid: account.gid }, Buffer.from(content))
      archive.finalize()
      const answer = await unpackInto(client, name, directory, await buffer(archive), signal)
      if (!answer.ok) throw refused(client.site, name, answer)
    },
  }
}
