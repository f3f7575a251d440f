import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { Client } from '../../../../../lib/docker/api/client.ts'
import { clientWith } from '../../answering.ts'

/** An archive with a file of a size, which comes for as long as somebody reads it. */
export async function* archiveOf(name: string, size: number): AsyncGenerator<Buffer> {
  const archive = pack()
  archive.entry({ name, size, mode: 0o640, uid: 33, gid: 34 })
  const [header]: Buffer[] = await once(archive, 'data')
  if (header !== undefined) yield header
  const piece = Buffer.alloc(64 * 1024, 'x')
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left)
  yield Buffer.alloc((512 - (size % 512)) % 512)
  yield Buffer.alloc(1024)
}

/** Answers with an archive of each file, and counts the bytes of them that were read. */
export function engineWith(files: Readonly<Record<string, number>>): {
  readonly client: Client
  read(): number
} {
  let bytes = 0
  const client = clientWith(async ({ query }) => {
    const path = String(query?.['path'])
    const size = files[path]
    if (size === undefined) return { ok: false, status: 404, message: 'no such file' }
    async function* counted() {
      for await (const chunk of archiveOf(path.slice(path.lastIndexOf('/') + 1), size ?? 0)) {
        bytes += chunk.length
        yield chunk
      }
    }
    return { ok: true, body: Readable.from(counted()) as never }
  })
  return { client, read: () => bytes }
}

export function containerWith(files: string) {
  return { Id: 'web', Config: { Image: 'web', Env: null, Labels: { 'tallyman.files': files } } }
}
